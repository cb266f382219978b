#include "acp/mcp/content.h"

#include <string>
#include <type_traits>
#include <vector>

#include "acp/json/codec.h"

namespace acp::mcp {

namespace {

// The member of the block that holds what this path names: `annotations.more`, `["x-y"].z`.
std::string first_member(std::string_view path) {
  if (path.starts_with("[\"")) return std::string(path.substr(2, path.find("\"]") - 2));
  return std::string(path.substr(0, path.find_first_of(".[")));
}

v1::ContentBlock as_unknown(JsonView block) {
  Unknown unknown;
  unknown.tag = block["type"].as_string().value_or("");
  unknown.payload = Json::object();
  for (const auto& [name, value] : block.members())
    if (name != "type") unknown.payload.set(name, Json(value));
  return v1::ContentBlock(std::move(unknown));
}

}  // namespace

v1::ContentBlock to_acp(JsonView block) {
  v1::ContentBlock content;
  std::vector<std::string> left_out;
  json::Options options;
  options.report = [&](const json::DecodeReport& report) {
    if (report.what != json::DecodeReport::What::unknown_tag) left_out.push_back(report.path);
  };
  if (json::decode(block.text(), v1::ContentBlock::json_type, &content, options))
    return as_unknown(block);
  if (left_out.empty()) return content;
  Json kept = Json::object();
  for (const std::string& path : left_out) {
    const std::string name = first_member(path);
    if (!block[name].absent()) kept.set(name, Json(block[name]));
  }
  std::visit(
      [&](auto& arm) {
        if constexpr (requires { arm._meta; }) arm._meta.set("mcp", kept);
      },
      static_cast<std::variant<v1::TextContent, v1::ImageContent, v1::AudioContent,
                               v1::ResourceLink, v1::EmbeddedResource, Unknown>&>(content));
  return content;
}

}  // namespace acp::mcp
