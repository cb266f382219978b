#include "chat/render/markdown/markdown_inline.h"

#include <md4c.h>

#include <algorithm>
#include <string>

#include "acp/json/utf8.h"
#include "chat/render/text/text.h"

namespace acp::chat::markdown {
namespace {

struct Entity {
  std::string_view name;
  std::string_view text;
};
// Those that people write; others are shown as they are written.
constexpr Entity entities[] = {
    {"amp", "&"},    {"apos", "'"},   {"bull", "•"},   {"check", "✓"}, {"copy", "©"},
    {"darr", "↓"},   {"deg", "°"},    {"divide", "÷"}, {"euro", "€"},  {"ge", "≥"},
    {"gt", ">"},     {"hellip", "…"}, {"infin", "∞"},  {"laquo", "«"}, {"larr", "←"},
    {"ldquo", "“"},  {"le", "≤"},     {"lsquo", "‘"},  {"lt", "<"},    {"mdash", "—"},
    {"middot", "·"}, {"nbsp", " "},   {"ndash", "–"},  {"ne", "≠"},    {"para", "¶"},
    {"plusmn", "±"}, {"pound", "£"},  {"quot", "\""},  {"raquo", "»"}, {"rarr", "→"},
    {"rdquo", "”"},  {"reg", "®"},    {"rsquo", "’"},  {"sect", "§"},  {"times", "×"},
    {"trade", "™"},  {"uarr", "↑"},
};

std::string code_point(std::string_view digits, unsigned base) {
  std::uint32_t code = 0;
  for (const char c : digits) {
    const char lower = static_cast<char>(c | 0x20);
    code = code * base + static_cast<std::uint32_t>(c <= '9' ? c - '0' : lower - 'a' + 10);
    if (code > 0x10FFFF) break;
  }
  if (!json::is_code_point(code)) return json::replacement_character;
  char buffer[4];
  return {buffer, json::utf8_put(buffer, code)};
}

std::string decode_entity(std::string_view text) {
  if (text.size() < 3) return std::string(text);
  const std::string_view name = text.substr(1, text.size() - 2);
  if (name[0] == '#') {
    const bool hex = name.size() > 1 && (name[1] | 0x20) == 'x';
    return code_point(name.substr(hex ? 2 : 1), hex ? 16 : 10);
  }
  const auto* found = std::find_if(std::begin(entities), std::end(entities),
                                   [&](const Entity& entity) { return entity.name == name; });
  return std::string(found == std::end(entities) ? text : found->text);
}

std::string text_of(const MD_ATTRIBUTE& attribute) {
  std::string text;
  for (int i = 0; attribute.text && attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET begin = attribute.substr_offsets[i];
    const std::string_view part(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
    text += attribute.substr_types[i] == MD_TEXT_ENTITY ? decode_entity(part) : std::string(part);
  }
  return text;
}

// An entity at the front of the text keeps md4c from taking it for the beginning of a list, a
// quote or a definition: what kind of block it is has been decided. It is not shown.
constexpr std::string_view guard = "&#8288;";

// Collects what md4c tells.
class Collector {
 public:
  Collector(std::string_view source, const Style& style) : source_(source), style_(style) {}

  bool parse(unsigned flags) {
    MD_PARSER parser = {};
    parser.flags = flags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Collector*>(self)->enter_block(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Collector*>(self)->leave_block(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Collector*>(self)->enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Collector*>(self)->leave_span(type);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Collector*>(self)->text(type, {text, size});
    };
    return md_parse(source_.data(), static_cast<MD_SIZE>(source_.size()), &parser, this) == 0;
  }

  Lines lines = Lines(1);
  Table table;
  bool any = false;  // text was seen

 private:
  Line& line() { return lines.back(); }

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_TR) table.rows.emplace_back();
    if (type == MD_BLOCK_TH) {
      const MD_ALIGN align = static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align;
      table.columns.push_back(align == MD_ALIGN_RIGHT    ? Table::Align::right
                              : align == MD_ALIGN_CENTER ? Table::Align::centre
                                                         : Table::Align::left);
    }
    return 0;
  }
  int leave_block(MD_BLOCKTYPE type) {
    if ((type != MD_BLOCK_TH && type != MD_BLOCK_TD) || table.rows.empty()) return 0;
    spans_.clear();
    style_ = {};
    table.rows.back().push_back(std::move(lines.front()));
    lines.assign(1, {});
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    spans_.push_back({type, style_});
    switch (type) {
      case MD_SPAN_EM:
        style_.italic = true;
        break;
      case MD_SPAN_STRONG:
        style_.bold = true;
        break;
      case MD_SPAN_DEL:
        style_.strike = true;
        break;
      case MD_SPAN_CODE:
        style_.colour = Colour::cyan;
        break;
      case MD_SPAN_A:
        enter_link(text_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
        break;
      case MD_SPAN_IMG:
        add(line(), "[image: ", style_);
        enter_link(text_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        break;
      default:
        break;
    }
    return 0;
  }
  void enter_link(std::string target) {
    spans_.back().target = target;
    style_.underline = true;
    style_.colour = Colour::blue;
    style_.link = std::move(target);
  }
  // md4c 0.4.8 sometimes leaves what it has not entered, and the other way round.
  int leave_span(MD_SPANTYPE type) {
    const auto found = std::find_if(spans_.rbegin(), spans_.rend(),
                                    [&](const OpenSpan& span) { return span.type == type; });
    if (found == spans_.rend()) return 0;
    const OpenSpan link = std::move(*found);
    spans_.erase(found.base() - 1, spans_.end());
    style_ = link.before;
    if (type != MD_SPAN_A && type != MD_SPAN_IMG) return 0;
    if (type == MD_SPAN_IMG) add(line(), "]", style_);
    // The address always, so that nobody is led where the text does not say.
    if (link.target.empty() || link.target == link.text || link.target == "mailto:" + link.text ||
        link.target == "http://" + link.text)
      return 0;
    Style aside = style_;
    aside.dim = true;
    add(line(), " (" + link.target + ")", aside);
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_ENTITY:
        if (text.data() == source_.data() && text == guard) return 0;
        return put(decode_entity(text));
      case MD_TEXT_BR:
        lines.emplace_back();
        return 0;
      case MD_TEXT_SOFTBR:
        if (!breaks_) return put(" ");
        lines.emplace_back();
        return 0;
      case MD_TEXT_NULLCHAR:
        return put(json::replacement_character);
      default:
        return put(text);
    }
  }
  int put(std::string_view text) {
    any = true;
    for (OpenSpan& span : spans_)
      if (!span.target.empty()) span.text += text;
    add(line(), text, style_);
    return 0;
  }

  struct OpenSpan {
    MD_SPANTYPE type;
    Style before;
    std::string target = {};  // of a link
    std::string text = {};    // what it shows
  };

  std::string_view source_;
  Style style_;
  std::vector<OpenSpan> spans_;
  bool breaks_ = source_.substr(0, 1) == "<" ||  // HTML: its lines mean something
                 source_.substr(0, guard.size() + 1) == std::string(guard) + "<";
};

bool is_letter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

constexpr unsigned inline_flags =
    MD_FLAG_NOHTMLBLOCKS | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS;

}  // namespace

Lines inline_text(std::string_view text, const Style& style) {
  std::string source(!text.empty() && is_letter(text[0]) ? "" : guard);
  source += text;
  Collector collector(source, style);
  if (collector.parse(inline_flags) && (collector.any || text.empty()))
    return std::move(collector.lines);
  // Out of memory, or all of it was syntax: as it was written.
  Lines lines;
  while (!text.empty()) lines.push_back(line_of(take_line(text), style));
  if (lines.empty()) lines.emplace_back();
  return lines;
}

Table table(std::string_view text) {
  Collector collector(text, {});
  collector.parse(inline_flags | MD_FLAG_TABLES);
  Table table = std::move(collector.table);
  for (auto& row : table.rows) row.resize(table.columns.size());
  return table;
}

}  // namespace acp::chat::markdown
