#include "coder/session/prompt_content.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "acp/error.h"

namespace acp::coder {

namespace {

template <class T>
bool for_user_alone(const T& block) {
  if (!block.annotations.has_value() || !block.annotations->audience.has_value()) return false;
  const std::vector<v1::Role>& audience = *block.annotations->audience;
  return !audience.empty() &&
         std::all_of(audience.begin(), audience.end(),
                     [](const v1::Role& role) { return role == v1::Role::user; });
}

template <class T>
std::string value_or(const Nullable<T>& value, const std::string& otherwise) {
  return value.has_value() ? *value : otherwise;
}

enum class Kind { image, audio, document, other };

Kind kind_of(const std::string& mime_type) {
  if (mime_type.starts_with("image/")) return Kind::image;
  if (mime_type.starts_with("audio/")) return Kind::audio;
  if (mime_type == "application/pdf") return Kind::document;
  return Kind::other;
}

// Null if the model takes it; else what it takes none of.
const char* refused(Kind kind, const ModelInfo& model) {
  switch (kind) {
    case Kind::image:
      return model.takes_images ? nullptr : "images";
    case Kind::audio:
      return model.takes_audio ? nullptr : "audio";
    case Kind::document:
      return model.takes_documents ? nullptr : "documents";
    case Kind::other:
      break;
  }
  return "files of this kind";
}

// Neither the text nor the address can end the element they stand in.
std::string resource_text(const v1::TextResourceContents& resource) {
  std::string tag = "resource";
  while (resource.text.find("</" + tag + ">") != std::string::npos) tag += "_";
  std::string text = "<" + tag + " uri=\"";
  for (const char c : resource.uri) {
    if (c == '"' || c == '<' || c == '>' || static_cast<unsigned char>(c) < ' ') {
      constexpr const char* digits = "0123456789ABCDEF";
      ((text += '%') += digits[static_cast<unsigned char>(c) >> 4]) += digits[c & 15];
    } else {
      text += c;
    }
  }
  return text + "\">\n" + resource.text + (resource.text.ends_with('\n') ? "" : "\n") + "</" + tag +
         ">";
}

std::string link_text(const v1::ResourceLink& link) {
  std::string text = "[link: " + value_or(link.title, link.name) + " <" + link.uri + ">";
  if (link.mimeType.has_value()) text += ", " + *link.mimeType;
  if (link.size.has_value()) text += ", " + std::to_string(*link.size) + " bytes";
  if (link.description.has_value()) text += ": " + *link.description;
  return text + "]";
}

// Of a block: a text, a medium, or nothing if it is not for the model.
struct Taken {
  std::optional<std::string> text = {};
  std::optional<MediaPart> media = {};
};

Taken take(const v1::ContentBlock& block) {
  Taken taken;
  if (const auto* text = std::get_if<v1::TextContent>(&block)) {
    if (!for_user_alone(*text)) taken.text = text->text;
  } else if (const auto* image = std::get_if<v1::ImageContent>(&block)) {
    if (!for_user_alone(*image)) taken.media = MediaPart{image->mimeType, image->data};
  } else if (const auto* audio = std::get_if<v1::AudioContent>(&block)) {
    if (!for_user_alone(*audio)) taken.media = MediaPart{audio->mimeType, audio->data};
  } else if (const auto* link = std::get_if<v1::ResourceLink>(&block)) {
    if (!for_user_alone(*link)) taken.text = link_text(*link);
  } else if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&block)) {
    if (for_user_alone(*embedded)) return taken;
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      taken.text = resource_text(*text);
    else if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      taken.media = MediaPart{value_or(blob->mimeType, "application/octet-stream"), blob->blob,
                              blob->uri.substr(blob->uri.rfind('/') + 1)};
  } else if (const auto* unknown = std::get_if<Unknown>(&block)) {
    taken.text = "[content of an unknown kind: " + unknown->tag + "]";
  }
  return taken;
}

Error not_taken(std::size_t block, const ModelInfo& model, const std::string& what,
                const std::string& mime_type) {
  const std::string path = "params.prompt[" + std::to_string(block) + "]";
  return Error(
      rpc::invalid_params,
      "The model " + model.name + " takes no " + what + ": choose another model, or leave out " +
          path + " (" + mime_type + ")",
      Json::object(
          {{"path", path}, {"model", model.id}, {"expected", "no " + what}, {"got", mime_type}}));
}

}  // namespace

std::vector<Part> prompt_parts(const std::vector<v1::ContentBlock>& prompt,
                               const ModelInfo& model) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    Taken taken = take(prompt[i]);
    if (taken.text) parts.push_back(TextPart{std::move(*taken.text)});
    if (!taken.media) continue;
    if (const char* what = refused(kind_of(taken.media->mime_type), model))
      throw not_taken(i, model, what, taken.media->mime_type);
    parts.push_back(std::move(*taken.media));
  }
  return parts;
}

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://", here = "localhost";
  if (!uri.starts_with(scheme)) return std::nullopt;
  uri.remove_prefix(scheme.size());
  if (uri.starts_with(here)) uri.remove_prefix(here.size());
  if (!uri.starts_with('/')) return std::nullopt;
  uri = uri.substr(0, uri.find_first_of("#?"));
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    unsigned char value = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri.size() - i < 3 || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2 ||
        value == 0)
      return std::nullopt;
    path += static_cast<char>(value);
    i += 2;
  }
  return path;
}

void leave_out_media(std::vector<Message>& messages, const ModelInfo& model) {
  const auto name = [](const MediaPart& media) {
    return "[" + media.mime_type + ", which this model cannot take]";
  };
  for (Message& message : messages)
    for (Part& part : message.parts) {
      if (const auto* media = std::get_if<MediaPart>(&part);
          media && refused(kind_of(media->mime_type), model) != nullptr)
        part = TextPart{name(*media)};
      auto* const result = std::get_if<ToolResultPart>(&part);
      if (result == nullptr || model.takes_images) continue;
      for (const MediaPart& media : std::exchange(result->media, {}))
        result->text += "\n" + name(media);
    }
}

void add_content(const v1::ContentBlock& block, const ModelInfo& model, std::string& text,
                 std::vector<MediaPart>& media) {
  Taken taken = take(block);
  if (taken.text) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += *taken.text;
  }
  if (!taken.media) return;
  // Results may hold images; the rest is for prompts alone.
  const Kind kind = kind_of(taken.media->mime_type);
  if (kind == Kind::image && model.takes_images) {
    media.push_back(std::move(*taken.media));
    return;
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += "[" + taken.media->mime_type + ", shown to the user only]";
}

}  // namespace acp::coder
