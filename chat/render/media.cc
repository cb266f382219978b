#include "chat/render/media.h"

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "acp/io/private_file.h"
#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

bool is_media(const v1::ContentBlock& block) {
  return !std::holds_alternative<v1::TextContent>(block) && !std::holds_alternative<Unknown>(block);
}

std::string decoded(std::string_view base64) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=' || c == '\n' || c == '\r') continue;
    const std::size_t digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) throw std::runtime_error("it is no base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xFF);
  }
  return out;
}

struct Kind {
  std::string_view mime, extension;
};
constexpr std::array<Kind, 14> kinds = {{{"image/png", ".png"},
                                         {"image/jpeg", ".jpg"},
                                         {"image/gif", ".gif"},
                                         {"image/webp", ".webp"},
                                         {"image/svg+xml", ".svg"},
                                         {"image/bmp", ".bmp"},
                                         {"audio/wav", ".wav"},
                                         {"audio/mpeg", ".mp3"},
                                         {"audio/ogg", ".ogg"},
                                         {"audio/flac", ".flac"},
                                         {"audio/mp4", ".m4a"},
                                         {"application/pdf", ".pdf"},
                                         {"text/markdown", ".md"},
                                         {"text/plain", ".txt"}}};

struct Told {
  std::string uri, mime;
};
Told told_of(const v1::ContentBlock& block) {
  if (const auto* image = std::get_if<v1::ImageContent>(&block))
    return {image->uri.value_or(""), image->mimeType};
  if (const auto* audio = std::get_if<v1::AudioContent>(&block)) return {"", audio->mimeType};
  if (const auto* link = std::get_if<v1::ResourceLink>(&block))
    return {link->uri, link->mimeType.value_or("")};
  if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&block)) {
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      return {text->uri, text->mimeType.value_or("text/plain")};
    if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      return {blob->uri, blob->mimeType.value_or("")};
  }
  return {};
}

}  // namespace

std::vector<Media> media_of(const SessionState& state) {
  std::vector<Media> found;
  const auto look = [&](const std::vector<v1::ContentBlock>& blocks, const std::string& from) {
    for (const v1::ContentBlock& block : blocks)
      if (is_media(block)) found.push_back({&block, from});
  };
  for (const SessionState::Entry& entry : state.timeline()) {
    if (const auto* message = std::get_if<SessionState::Message>(&entry.content))
      look(message->content, "the agent");
    if (const auto* call = std::get_if<ToolCallState>(&entry.content))
      for (const v1::ToolCallContent& content : call->content)
        if (const auto* block = std::get_if<v1::Content>(&content))
          if (is_media(block->content)) found.push_back({&block->content, call->title});
  }
  return found;
}

std::string suggested_name(const v1::ContentBlock& block, std::size_t number) {
  const Told told = told_of(block);
  // The last part of the address, if it is a plain name.
  std::string name = told.uri.substr(told.uri.rfind('/') + 1);
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  bool good = !name.empty() && name.front() != '.' && name.front() != '-' && name.size() < 100;
  for (const char c : name) good = good && plain(c);
  if (good) return name;
  for (const Kind& kind : kinds)
    if (kind.mime == told.mime)
      return "media-" + std::to_string(number) + std::string(kind.extension);
  return "media-" + std::to_string(number) + ".bin";
}

std::string bytes_of(const v1::ContentBlock& block) {
  if (const auto* image = std::get_if<v1::ImageContent>(&block)) return decoded(image->data);
  if (const auto* audio = std::get_if<v1::AudioContent>(&block)) return decoded(audio->data);
  if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&block)) {
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      return text->text;
    if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      return decoded(blob->blob);
  }
  if (const auto* link = std::get_if<v1::ResourceLink>(&block))
    throw std::runtime_error("it is a link, and nothing of it is here: " + safe(link->uri));
  throw std::runtime_error("it is of an unknown kind");
}

void write_new_file(const std::string& path, const std::string& bytes) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path)))
    throw std::runtime_error(path + " is there already");
  io::write_private_file(path, bytes, io::Existing::refuse);
}

}  // namespace acp::chat
