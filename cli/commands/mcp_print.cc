#include "cli/commands/mcp_print.h"

#include <ostream>

#include "acp/io/printable.h"

namespace acp::cli {

namespace {

using io::printable;

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) continue;  // padding, line ends
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

std::string sized(const std::string& type, std::string_view base64) {
  return "[" + printable(type) + ", " + std::to_string(from_base64(base64).size()) + " bytes]";
}

std::string or_empty(const Nullable<std::string>& text) { return text.value_or(""); }

}  // namespace

std::string first_line(std::string_view text) {
  return io::one_line(text.substr(0, text.find_first_of("\r\n")), io::whole);
}

void print_info(std::ostream& out, const mcp::InitializeResult& info) {
  out << "server        " << printable(info.serverInfo.name) << " "
      << printable(info.serverInfo.version);
  if (info.serverInfo.title) out << " (" << printable(*info.serverInfo.title) << ")";
  out << "\nprotocol      " << printable(info.protocolVersion) << "\ncapabilities ";
  const mcp::ServerCapabilities& can = info.capabilities;
  if (can.tools) out << " tools";
  if (can.resources) out << " resources" << (can.resources->subscribe ? " subscriptions" : "");
  if (can.prompts) out << " prompts";
  if (!can.logging.absent()) out << " logging";
  if (!can.completions.absent()) out << " completions";
  if (!can.tasks.absent()) out << " tasks";
  out << "\n";
  if (info.instructions) out << "\n" << printable(*info.instructions) << "\n";
}

void print(std::ostream& out, const v1::ContentBlock& content) {
  if (const auto* text = std::get_if<v1::TextContent>(&content)) {
    out << text->text << "\n";
  } else if (const auto* image = std::get_if<v1::ImageContent>(&content)) {
    out << sized(image->mimeType, image->data) << "\n";
  } else if (const auto* audio = std::get_if<v1::AudioContent>(&content)) {
    out << sized(audio->mimeType, audio->data) << "\n";
  } else if (const auto* link = std::get_if<v1::ResourceLink>(&content)) {
    out << printable(link->uri) << "  " << first_line(link->name);
    if (link->description.has_value()) out << "  " << first_line(*link->description);
    out << "\n";
  } else if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&content)) {
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      out << printable(text->uri) << ":\n" << text->text << "\n";
    else if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      out << printable(blob->uri) << ": " << sized(or_empty(blob->mimeType), blob->blob) << "\n";
  } else if (const auto* unknown = std::get_if<Unknown>(&content)) {
    out << "[" << printable(unknown->tag) << "] " << unknown->payload.text() << "\n";
  }
}

void print(std::ostream& out, const mcp::ResourceContents& contents, bool is_terminal) {
  if (contents.text) {
    out << (is_terminal ? printable(*contents.text) : *contents.text);
    if (is_terminal && !contents.text->ends_with('\n')) out << "\n";
  } else if (contents.blob) {
    if (is_terminal)
      out << sized(contents.mimeType.value_or("binary"), *contents.blob) << "\n";
    else
      out << from_base64(*contents.blob);
  }
}

}  // namespace acp::cli
