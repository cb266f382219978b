#include "chat/render/content.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "chat/render/markdown/markdown.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

// How many bytes that base64 stands for.
std::uint64_t decoded_size(std::string_view base64) {
  while (!base64.empty() && base64.back() == '=') base64.remove_suffix(1);
  return base64.size() * 3 / 4;
}

struct Named {
  std::string kind;
  std::string name = {};
  std::optional<std::uint64_t> size = {};
  std::string uri = {};
  std::string description = {};
};

Lines named_lines(const Named& named, const View& view) {
  Line line = line_of("▪ " + named.kind);
  const auto part = [&](std::string_view text, const Style& style) {
    if (text.empty()) return;
    add(line, " · ", aside);
    add(line, text, style);
  };
  part(named.name, {.bold = true});
  if (named.size) part(size_text(*named.size), {});
  part(named.uri, {.underline = true, .link = named.uri});
  part(named.description, {});
  return wrap(line, view.columns, {{}, line_of("  ")});
}

std::string kind_of(std::string_view kind, std::string_view mime) {
  return mime.empty() ? std::string(kind) : std::string(kind) + " " + std::string(mime);
}

struct Describe {
  const View& view;
  TextAs text;

  Lines operator()(const v1::TextContent& block) const {
    return text == TextAs::markdown ? markdown_lines(block.text, view.columns)
                                    : written_lines(block.text, view.columns);
  }
  Lines operator()(const v1::ImageContent& block) const {
    return named_lines({.kind = kind_of("image", block.mimeType),
                        .size = decoded_size(block.data),
                        .uri = block.uri.value_or("")},
                       view);
  }
  Lines operator()(const v1::AudioContent& block) const {
    return named_lines({.kind = kind_of("audio", block.mimeType), .size = decoded_size(block.data)},
                       view);
  }
  Lines operator()(const v1::ResourceLink& block) const {
    Named named{.kind = kind_of("link", block.mimeType.value_or("")),
                .name = block.title ? *block.title : block.name,
                .uri = block.uri,
                .description = block.description.value_or("")};
    if (block.size && *block.size >= 0) named.size = static_cast<std::uint64_t>(*block.size);
    return named_lines(named, view);
  }
  Lines operator()(const v1::EmbeddedResource& block) const {
    if (const auto* blob = std::get_if<v1::BlobResourceContents>(&block.resource))
      return named_lines({.kind = kind_of("resource", blob->mimeType.value_or("")),
                          .size = decoded_size(blob->blob),
                          .uri = blob->uri},
                         view);
    const auto& contents = std::get<v1::TextResourceContents>(block.resource);
    Lines lines = named_lines({.kind = kind_of("resource", contents.mimeType.value_or("")),
                               .size = contents.text.size(),
                               .uri = contents.uri},
                              view);
    if (!view.unfolded) return lines;
    View inner = view;
    inner.columns = view.columns > 4 ? view.columns - 2 : view.columns;
    for (Line& line : indented(written_lines(contents.text, inner.columns), line_of("  ")))
      lines.push_back(std::move(line));
    return first_lines(std::move(lines), view.content_lines, view.columns);
  }
  Lines operator()(const Unknown& block) const {
    return named_lines({.kind = "content of an unknown kind", .name = block.tag}, view);
  }
};

std::uint64_t size_of(const v1::ContentBlock& block) {
  if (const auto* text = std::get_if<v1::TextContent>(&block)) return text->text.size();
  if (const auto* image = std::get_if<v1::ImageContent>(&block)) return decoded_size(image->data);
  if (const auto* audio = std::get_if<v1::AudioContent>(&block)) return decoded_size(audio->data);
  return 0;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.5 && *unit) break;
    value /= 1000;
    unit = next;
  }
  char text[32];
  std::snprintf(text, sizeof text, value < 99.95 ? "%.1f %s" : "%.0f %s", value, unit);
  return text;
}

std::string place_text(std::string_view path, const Nullable<std::uint32_t>& line,
                       const View& view) {
  std::string_view cwd = view.cwd;
  while (cwd.size() > 1 && cwd.back() == '/') cwd.remove_suffix(1);
  const bool below = cwd.size() > 1 && path.size() > cwd.size() + 1 &&
                     path.substr(0, cwd.size()) == cwd && path[cwd.size()] == '/';
  std::string text = safe(below ? path.substr(cwd.size() + 1) : path);
  if (line) text += ":" + std::to_string(*line);
  return text;
}

bool for_assistant_only(const v1::ContentBlock& block) {
  const v1::Annotations* annotations = nullptr;
  std::visit(
      [&](const auto& content) {
        if constexpr (requires { content.annotations; })
          if (content.annotations) annotations = &*content.annotations;
      },
      block);
  if (!annotations || !annotations->audience || annotations->audience->empty()) return false;
  const auto& audience = *annotations->audience;
  return std::all_of(audience.begin(), audience.end(),
                     [](v1::Role role) { return role == v1::Role::assistant; });
}

Lines content_lines(const v1::ContentBlock& block, const View& view, TextAs text) {
  if (for_assistant_only(block) && !view.unfolded) {
    std::string note = "▪ for the assistant only";
    if (const auto size = size_of(block); size > 0) note += " · " + size_text(size);
    return {fit(line_of(note, aside), view.columns)};
  }
  return std::visit(Describe{view, text}, block);
}

Lines written_lines(std::string_view text, std::size_t columns, const Style& style) {
  Lines lines;
  while (!text.empty())
    for (Line& row : wrap(line_of(take_line(text), style), columns))
      lines.push_back(std::move(row));
  return lines;
}

Lines output_lines(std::string_view output, bool truncated, const View& view) {
  if (!output.empty() && output.back() == '\n') output.remove_suffix(1);
  const std::size_t columns = std::max<std::size_t>(view.columns, 1);
  const std::size_t most = view.output_lines;
  std::size_t begin = 0;
  if (most > 0) {
    // No more than fills the rows, should a single line be a megabyte long.
    const std::size_t bytes = most * columns * 4;
    const std::size_t floor = output.size() > bytes ? output.size() - bytes : 0;
    begin = output.size();
    for (std::size_t i = 0; i < most && begin > floor; ++i) {
      const auto end = i == 0 || begin == 0 ? output.size() : begin - 1;
      const auto newline = end == 0 ? output.npos : output.substr(floor, end - floor).rfind('\n');
      begin = newline == output.npos ? floor : floor + newline + 1;
    }
    begin = character_start(output, begin);
  }
  Lines lines;
  std::string_view rest = output.substr(begin);
  while (!rest.empty())
    for (Line& row : chop(line_of(safe_output(take_line(rest)), aside), columns))
      lines.push_back(std::move(row));
  const std::size_t over = most > 0 && lines.size() > most ? lines.size() - most : 0;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(over));
  if (begin == 0 && over == 0 && !truncated) return lines;
  // Counting lines would cost the whole output.
  constexpr std::size_t worth_counting = 1 << 16;
  const std::string_view hidden = output.substr(0, begin);
  std::string note = "… ";
  if (begin == 0)
    note += over > 0 ? counted(over, "more row") + " above" : "";
  else if (begin <= worth_counting && hidden.back() == '\n')
    note += counted(count_lines(hidden), "more line") + " above";
  else
    note += size_text(begin) + " more above";
  if (truncated)
    note += begin == 0 && over == 0 ? "the beginning was cut off" : ", and what was cut off";
  lines.insert(lines.begin(), fit(line_of(note, aside), columns));
  return lines;
}

std::string exit_text(const TerminalView& terminal) {
  if (!terminal.exit_status) return terminal.released ? "released" : "running";
  if (terminal.exit_status->signal) return "killed by " + safe(*terminal.exit_status->signal);
  if (terminal.exit_status->exitCode)
    return "exit " + std::to_string(*terminal.exit_status->exitCode);
  return "ended";
}

Lines first_lines(Lines lines, std::size_t most, std::size_t columns) {
  if (most == 0 || lines.size() <= most) return lines;
  const std::string note = "… " + counted(lines.size() - most, "more line");
  lines.resize(most);
  lines.push_back(fit(line_of(note, aside), columns));
  return lines;
}

Lines indented(Lines lines, const Line& margin) {
  for (Line& line : lines) line.insert(line.begin(), margin.begin(), margin.end());
  return lines;
}

}  // namespace acp::chat
