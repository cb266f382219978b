#include "acp/role/versions/content.h"

#include <limits>

#include "acp/json/format.h"
#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

// The members that all blocks have.
template <class To, class From>
void move_common(From& from, To& to) {
  using Annotations = std::remove_reference_t<decltype(*to.annotations)>;
  to.annotations = recoded<Annotations>(from.annotations);
  to._meta = std::move(from._meta);
}

template <class To, class From>
To text_block(From& from) {
  To to;
  to.text = std::move(from.text);
  move_common(from, to);
  return to;
}

// An image's URI is optional: version 2 does without one that is none.
template <class To, class From>
To image_block(From& from) {
  To to;
  to.data = std::move(from.data);
  to.mimeType = std::move(from.mimeType);
  to.uri = std::move(from.uri);
  if (std::is_same_v<To, v2::ImageContent> && to.uri && json::format_mismatch("uri", *to.uri))
    to.uri.reset();
  move_common(from, to);
  return to;
}

template <class To, class From>
To audio_block(From& from) {
  To to;
  to.data = std::move(from.data);
  to.mimeType = std::move(from.mimeType);
  move_common(from, to);
  return to;
}

template <class To, class From>
To link_block(From& from) {
  To to;
  to.name = std::move(from.name);
  to.uri = std::move(from.uri);
  to.title = std::move(from.title);
  to.description = std::move(from.description);
  to.mimeType = std::move(from.mimeType);
  if (from.size.is_null()) to.size = nullptr;
  if (from.size && std::in_range<std::remove_reference_t<decltype(*to.size)>>(*from.size))
    to.size = static_cast<std::remove_reference_t<decltype(*to.size)>>(*from.size);
  move_common(from, to);
  return to;
}

template <class Text, class Blob, class From>
void move_resource(From& from, auto& to) {
  std::visit(
      [&]<class Old>(Old& old) {
        const auto common = [&](auto&& fresh) {
          fresh.uri = std::move(old.uri);
          if (std::is_same_v<Text, v2::TextResourceContents>) fresh.uri = as_uri(fresh.uri);
          fresh.mimeType = std::move(old.mimeType);
          fresh._meta = std::move(old._meta);
          to.resource = std::move(fresh);
        };
        if constexpr (requires { old.text; }) {
          Text fresh;
          fresh.text = std::move(old.text);
          common(std::move(fresh));
        } else {
          Blob fresh;
          fresh.blob = std::move(old.blob);
          common(std::move(fresh));
        }
      },
      from.resource);
  move_common(from, to);
}

}  // namespace

std::string as_uri(std::string text) {
  if (!json::format_mismatch("uri", text)) return text;
  std::string uri;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%') {
      uri += c;
    } else {
      constexpr char digits[] = "0123456789ABCDEF";
      ((uri += '%') += digits[byte >> 4]) += digits[byte & 15];
    }
  }
  return (text.starts_with('/') ? "file://" : "urn:text:") + uri;
}

std::optional<v2::ContentBlock> to_v2(v1::ContentBlock block) {
  using Block = std::optional<v2::ContentBlock>;
  return std::visit(
      Overloaded{
          [](v1::TextContent& text) -> Block { return text_block<v2::TextContent>(text); },
          [](v1::ImageContent& image) -> Block { return image_block<v2::ImageContent>(image); },
          [](v1::AudioContent& audio) -> Block { return audio_block<v2::AudioContent>(audio); },
          [](v1::ResourceLink& from) -> Block {
            const Json kept = take_kept(from._meta);
            auto link = link_block<v2::ResourceLink>(from);
            link.uri = as_uri(std::move(link.uri));
            if (!kept["icons"].absent())
              if (auto icons = recode<std::vector<v2::Icon>>(Json(kept["icons"])))
                link.icons = std::move(*icons);
            return link;
          },
          [](v1::EmbeddedResource& from) -> Block {
            v2::EmbeddedResource to;
            move_resource<v2::TextResourceContents, v2::BlobResourceContents>(from, to);
            return to;
          },
          [&](Unknown&) -> Block { return recode<v2::ContentBlock>(block); }},
      block);
}

std::optional<v1::ContentBlock> to_v1(v2::ContentBlock block) {
  using Block = std::optional<v1::ContentBlock>;
  return std::visit(
      Overloaded{
          [](v2::TextContent& text) -> Block { return text_block<v1::TextContent>(text); },
          [](v2::ImageContent& image) -> Block { return image_block<v1::ImageContent>(image); },
          [](v2::AudioContent& audio) -> Block { return audio_block<v1::AudioContent>(audio); },
          [](v2::ResourceLink& from) -> Block {
            auto link = link_block<v1::ResourceLink>(from);
            if (from.icons) keep(link._meta, "icons", Json::from_valid(json::encode(*from.icons)));
            return link;
          },
          [](v2::EmbeddedResource& from) -> Block {
            v1::EmbeddedResource to;
            move_resource<v1::TextResourceContents, v1::BlobResourceContents>(from, to);
            return to;
          },
          [](Unknown& unknown) -> Block { return std::move(unknown); }},
      block);
}

std::vector<v2::ContentBlock> to_v2(std::vector<v1::ContentBlock> blocks) {
  return mapped_list<v2::ContentBlock>(
      std::move(blocks), [](v1::ContentBlock&& block) { return to_v2(std::move(block)); });
}

std::vector<v1::ContentBlock> to_v1(std::vector<v2::ContentBlock> blocks) {
  return mapped_list<v1::ContentBlock>(
      std::move(blocks), [](v2::ContentBlock&& block) { return to_v1(std::move(block)); });
}

std::optional<v2::ToolCallContent> to_v2(const v1::ToolCallContent& content) {
  using Result = std::optional<v2::ToolCallContent>;
  return std::visit(
      Overloaded{[](const v1::Content& from) -> Result {
                   auto block = to_v2(from.content);
                   if (!block) return std::nullopt;
                   v2::Content to;
                   to.content = std::move(*block);
                   to._meta = from._meta;
                   return to;
                 },
                 [](const v1::Diff& diff) -> Result { return to_v2(diff); },
                 [](const v1::Terminal& from) -> Result {
                   v2::Terminal to;
                   to.terminalId = from.terminalId;
                   to._meta = from._meta;
                   return to;
                 },
                 [&](const Unknown&) -> Result { return recode<v2::ToolCallContent>(content); }},
      content);
}

std::vector<v1::ToolCallContent> to_v1(v2::ToolCallContent content) {
  std::vector<v1::ToolCallContent> result;
  std::visit(Overloaded{[&](v2::Content& from) {
                          auto block = to_v1(std::move(from.content));
                          if (!block) return;
                          v1::Content to;
                          to.content = std::move(*block);
                          to._meta = std::move(from._meta);
                          result.emplace_back(std::move(to));
                        },
                        [&](v2::Diff& diff) { result = to_v1(std::move(diff)); },
                        [&](v2::Terminal& from) {
                          v1::Terminal to;
                          to.terminalId = std::move(from.terminalId);
                          to._meta = std::move(from._meta);
                          result.emplace_back(std::move(to));
                        },
                        [&](Unknown& unknown) { result.emplace_back(std::move(unknown)); }},
             content);
  return result;
}

std::vector<v2::ToolCallContent> to_v2(const std::vector<v1::ToolCallContent>& contents) {
  std::vector<v2::ToolCallContent> all;
  all.reserve(contents.size());
  for (const v1::ToolCallContent& content : contents)
    if (auto one = to_v2(content)) all.push_back(std::move(*one));
  return all;
}

std::vector<v1::ToolCallContent> to_v1(std::vector<v2::ToolCallContent> contents) {
  std::vector<v1::ToolCallContent> all;
  for (v2::ToolCallContent& content : contents)
    for (v1::ToolCallContent& one : to_v1(std::move(content))) all.push_back(std::move(one));
  return all;
}

}  // namespace acp::detail::versions
