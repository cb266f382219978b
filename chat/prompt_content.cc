#include "chat/prompt_content.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "acp/json/utf8.h"
#include "chat/render/content.h"

namespace acp::chat {

namespace {

constexpr std::uintmax_t most_embedded = 1024 * 1024;
constexpr std::uintmax_t most_media = 8 * 1024 * 1024;

struct Mime {
  std::string_view extension, type;
};
constexpr std::array<Mime, 14> mimes = {{{".png", "image/png"},
                                         {".jpg", "image/jpeg"},
                                         {".jpeg", "image/jpeg"},
                                         {".gif", "image/gif"},
                                         {".webp", "image/webp"},
                                         {".svg", "image/svg+xml"},
                                         {".bmp", "image/bmp"},
                                         {".wav", "audio/wav"},
                                         {".mp3", "audio/mpeg"},
                                         {".ogg", "audio/ogg"},
                                         {".flac", "audio/flac"},
                                         {".m4a", "audio/mp4"},
                                         {".pdf", "application/pdf"},
                                         {".md", "text/markdown"}}};

std::string mime_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const Mime& mime : mimes)
    if (mime.extension == extension) return std::string(mime.type);
  return {};
}

bool is_text(const std::string& bytes) {
  return bytes.find('\0') == std::string::npos && json::is_utf8(bytes);
}

std::string uri_of(const std::string& path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    constexpr const char* digits = "0123456789ABCDEF";
    if (plain)
      uri += c;
    else
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return uri;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) throw std::runtime_error(path.string() + " cannot be read");
  return bytes;
}

v1::ResourceLink link_to(const std::filesystem::path& path, std::uintmax_t size) {
  v1::ResourceLink link;
  link.name = path.filename().string();
  link.uri = uri_of(path.string());
  link.size = static_cast<std::int64_t>(size);
  if (const std::string mime = mime_of(path); !mime.empty()) link.mimeType = mime;
  return link;
}

// `file`, under the name `path`.
v1::ContentBlock block_of(const std::filesystem::path& file, const std::filesystem::path& path,
                          const v1::PromptCapabilities& can, std::vector<std::string>& notes) {
  const std::uintmax_t size = std::filesystem::file_size(file);
  if (!can.embeddedContext) {
    notes.push_back(path.filename().string() +
                    " is sent as a link: the agent takes no embedded files");
    return link_to(path, size);
  }
  if (size > most_embedded) {
    notes.push_back(path.filename().string() + " is sent as a link: with " + size_text(size) +
                    " it is too large to be embedded");
    return link_to(path, size);
  }
  const std::string bytes = bytes_of(file);
  const std::string mime = mime_of(path);
  v1::EmbeddedResource resource;
  if (is_text(bytes)) {
    v1::TextResourceContents text;
    text.uri = uri_of(path.string());
    text.text = bytes;
    if (!mime.empty()) text.mimeType = mime;
    resource.resource = std::move(text);
  } else {
    v1::BlobResourceContents blob;
    blob.uri = uri_of(path.string());
    blob.blob = base64(bytes);
    blob.mimeType = mime.empty() ? "application/octet-stream" : mime;
    resource.resource = std::move(blob);
  }
  return resource;
}

bool is_below(const std::filesystem::path& path, const std::filesystem::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first ==
         directory.end();
}

// The file itself, if it is where its name says: a link of the project must not choose what of the
// user's other files is sent.
std::filesystem::path file_meant(const std::filesystem::path& path, const std::string& cwd) {
  std::filesystem::path file = std::filesystem::canonical(path);
  const std::filesystem::path project = std::filesystem::canonical(cwd);
  std::filesystem::path said = std::filesystem::path(cwd).lexically_normal();
  if (!said.has_filename()) said = said.parent_path();
  const bool named_here = is_below(path, said) || is_below(path, project);
  if (named_here && !is_below(file, project))
    throw std::runtime_error("a link leads out of the project, to " + file.string() + ": write @" +
                             file.string() + " if it is meant");
  return file;
}

// What stands after an @, and how long it is with its quotes.
std::pair<std::string, std::size_t> name_at(std::string_view text) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    if (end != std::string_view::npos) return {std::string(text.substr(1, end - 1)), end + 1};
  }
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  return {std::string(text.substr(0, end)), end};
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? digits[three >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

PromptContent prompt_content(const std::string& text, const std::string& cwd,
                             const v1::PromptCapabilities& can) {
  PromptContent content;
  v1::TextContent first;
  first.text = text;
  content.blocks.emplace_back(std::move(first));
  std::vector<std::string> seen;
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    if (at > 0 && std::string_view(" \t\n(").find(text[at - 1]) == std::string_view::npos) continue;
    auto [name, length] = name_at(std::string_view(text).substr(at + 1));
    std::error_code error;
    std::filesystem::path path;
    const std::string typed = name;
    // "see @a.txt." means a.txt, if that is what there is.
    for (; !name.empty(); name.pop_back()) {
      path = (std::filesystem::path(cwd) / name).lexically_normal();
      if (std::filesystem::exists(path, error)) break;
      if (std::string_view(".,;:!?)").find(name.back()) == std::string_view::npos) name.clear();
      if (name.empty()) break;
    }
    if (name.empty() && !typed.empty())
      content.notes.push_back("@" + typed + " names no file in " + cwd + ": it is sent as text");
    if (name.empty() || std::find(seen.begin(), seen.end(), path.string()) != seen.end()) continue;
    seen.push_back(path.string());
    try {
      if (const auto file = file_meant(path, cwd); std::filesystem::is_regular_file(file))
        content.blocks.push_back(block_of(file, path, can, content.notes));
      else
        content.blocks.emplace_back(link_to(path, 0));
    } catch (const std::exception& failed) {
      content.notes.push_back("@" + name + " is not sent: " + failed.what());
    }
  }
  return content;
}

v1::ContentBlock media_block(const std::string& name, const std::string& cwd, bool image,
                             const v1::PromptCapabilities& can) {
  const std::string kind = image ? "image" : "audio";
  if (!(image ? can.image : can.audio)) throw std::runtime_error("the agent takes no " + kind);
  const std::filesystem::path path = (std::filesystem::path(cwd) / name).lexically_normal();
  const std::string mime = mime_of(path);
  if (!mime.starts_with(kind + "/"))
    throw std::runtime_error(name + ": the name is not that of a known kind of " + kind);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw std::runtime_error("there is no file " + name);
  const std::filesystem::path file = file_meant(path, cwd);
  if (std::filesystem::file_size(file) > most_media)
    throw std::runtime_error(name + " is larger than " + size_text(most_media));
  const std::string data = base64(bytes_of(file));
  if (image) {
    v1::ImageContent block;
    block.data = data;
    block.mimeType = mime;
    block.uri = uri_of(path.string());
    return block;
  }
  v1::AudioContent block;
  block.data = data;
  block.mimeType = mime;
  return block;
}

}  // namespace acp::chat
