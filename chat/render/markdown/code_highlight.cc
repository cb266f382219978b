#include "chat/render/markdown/code_highlight.h"

#include <algorithm>
#include <array>

namespace acp::chat {

// Words are separated by blanks, with one at each end.
struct Language {
  std::string_view names;
  std::string_view keywords;
  std::string_view comments;  // that go to the end of the line
  std::string_view block_begins = {}, block_ends = {};
  std::string_view quotes = "\"'";    // of strings that end on their line
  std::string_view long_quotes = {};  // of those that need not
  bool any_case = false;              // of keywords
};

namespace {

constexpr std::string_view c_words =
    " auto bool break case char const continue default do double else enum extern false float for "
    "goto if inline int long nullptr NULL register return short signed sizeof static struct switch "
    "true typedef union unsigned void volatile while "
    "alignas alignof catch class concept consteval constexpr constinit co_await co_return co_yield "
    "decltype delete explicit export final friend mutable namespace new noexcept operator override "
    "private protected public requires static_assert template this throw try typename using "
    "virtual include define ifdef ifndef endif pragma ";
constexpr std::string_view js_words =
    " abstract as async await boolean break case catch class const continue debugger declare "
    "default delete do else enum export extends false finally for from function get if implements "
    "import in instanceof interface let new null number of private protected public readonly "
    "return "
    "set static string super switch this throw true try type typeof undefined var void while with "
    "yield ";
constexpr std::string_view shell_words =
    " if then else elif fi for while until do done case esac in function return local export "
    "readonly set unset shift exit source echo cd test true false ";

constexpr std::array languages = {
    Language{" c h cc cpp cxx c++ hpp hh objc m cuda ", c_words, " // ", "/*", "*/"},
    Language{" py python python3 pyi ",
             " and as assert async await break case class continue def del elif else except False "
             "finally for from global if import in is lambda match None nonlocal not or pass raise "
             "return self True try while with yield ",
             " # ",
             {},
             {},
             "\"'",
             " \"\"\" ''' "},
    Language{" js javascript jsx mjs ts typescript tsx ", js_words, " // ", "/*", "*/", "\"'",
             " ` "},
    Language{
        " java ",
        " abstract assert boolean break byte case catch char class continue default do double "
        "else enum extends false final finally float for if implements import instanceof int "
        "interface long native new null package permits private protected public record return "
        "sealed short static super switch synchronized this throw throws transient true try "
        "var void volatile while yield ",
        " // ", "/*", "*/", "\"'", " \"\"\" "},
    Language{" cs csharp c# ",
             " abstract as async await base bool break byte case catch char class const continue "
             "decimal default delegate do double else enum event false finally float for foreach "
             "get if in int interface internal is lock long namespace new null object out override "
             "private protected public readonly record ref return sealed set short static string "
             "struct switch this throw true try using var virtual void while yield ",
             " // ", "/*", "*/"},
    Language{
        " go golang ",
        " any bool break byte case chan const continue default defer else error fallthrough "
        "false for func go goto if import int interface iota make map nil package range return "
        "rune select string struct switch true type var ",
        " // ", "/*", "*/", "\"'", " ` "},
    Language{" rs rust ",
             " as async await bool break const continue crate dyn else enum extern false fn for if "
             "impl in let loop match mod move mut pub ref return Self self static str struct super "
             "trait true type unsafe use usize where while i32 i64 u8 u32 u64 String Option Result "
             "Some None Ok Err ",
             " // ", "/*", "*/", "\""},
    Language{
        " rb ruby ",
        " alias and begin break case class def do else elsif end ensure false for if in module "
        "next nil not or redo require rescue retry return self super then true undef unless "
        "until when while yield attr_accessor ",
        " # ", "=begin", "=end"},
    Language{" php ",
             " abstract and array as break case catch class const continue declare default do echo "
             "else elseif extends false final finally fn for foreach function global if implements "
             "include interface match namespace new null or private protected public readonly "
             "require return static switch this throw trait true try use var while yield ",
             " // # ", "/*", "*/"},
    Language{" sh bash zsh shell console fish ", shell_words, " # "},
    Language{
        " sql postgresql mysql sqlite ",
        " add all alter and as asc begin between by case cast check column commit constraint "
        "create cross default delete desc distinct drop else end except exists foreign from "
        "full group having if in index inner insert intersect into is join key left like limit "
        "not null offset on or order outer primary references returning right rollback select "
        "set table then transaction union unique update using values view when where with ",
        " -- ",
        "/*",
        "*/",
        "\"'",
        {},
        true},
    Language{" json jsonc json5 jsonl ", " true false null ", " // ", "/*", "*/", "\""},
    Language{" yaml yml ", " true false null yes no on off ", " # "},
    Language{
        " toml ini cfg conf properties ", " true false ", " # ; ", {}, {}, "\"'", " \"\"\" ''' "},
    Language{" html xml svg vue htm xhtml ", " DOCTYPE ", "", "<!--", "-->"},
    Language{" css scss less sass ",
             " important media import keyframes supports font-face none auto inherit initial solid "
             "flex grid block inline absolute relative fixed ",
             "", "/*", "*/"},
    Language{" kt kotlin kts ",
             " abstract as break by class companion const constructor continue data do else enum "
             "false final for fun get if import in init inline interface internal is lateinit null "
             "object open out override package private protected public return sealed set super "
             "suspend this throw true try typealias val var when where while ",
             " // ", "/*", "*/", "\"'", " \"\"\" "},
    Language{" swift ",
             " actor as async await break case catch class continue default defer do else enum "
             "extension false fileprivate for func guard if import in init inout internal is let "
             "nil operator private protocol public repeat return self Self static struct subscript "
             "super switch throw throws true try typealias var where while ",
             " // ", "/*", "*/", "\"", " \"\"\" "},
    Language{" lua ",
             " and break do else elseif end false for function goto if in local nil not or repeat "
             "return then true until while ",
             " -- ", "--[[", "]]"},
    Language{" pl perl pm ",
             " and die do else elsif eq for foreach if last local my ne next no not or our package "
             "print return sub undef unless until use while ",
             " # ", "=pod", "=cut"},
    Language{" r ",
             " break else FALSE for function if in NA next NULL repeat return TRUE while library ",
             " # "},
    Language{" hs haskell ",
             " case class data deriving do else family forall foreign if import in infix infixl "
             "infixr instance let module newtype of then type where qualified ",
             " -- ", "{-", "-}", "\""},
    Language{" zig ",
             " align and anyerror anytype asm async await bool break catch comptime const continue "
             "defer else enum errdefer error export extern false fn for if inline null or orelse "
             "packed pub resume return struct suspend switch test threadlocal true try type "
             "undefined union unreachable usize usingnamespace var void volatile while ",
             " // "},
    Language{" cmake ",
             " add_executable add_library add_subdirectory add_test elseif else endforeach "
             "endfunction endif endmacro find_package foreach function if include install list "
             "macro message option project return set target_include_directories "
             "target_link_libraries and or not private public required true false on off ",
             " # ",
             {},
             {},
             "\"",
             {},
             true},
    Language{" docker dockerfile containerfile ",
             " ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL "
             "USER VOLUME WORKDIR AS ",
             " # "},
    Language{" make makefile mk ",
             " ifeq ifneq ifdef ifndef else endif include define endef export override .PHONY ",
             " # "},
};

const Style keyword{.colour = Colour::magenta};
const Style text_style{.colour = Colour::yellow};
const Style number_style{.colour = Colour::blue};
const Style comment{.dim = true};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_word(std::string_view words, std::string_view word, bool any_case) {
  char lower[32];
  if (word.empty() || word.size() > sizeof lower) return false;
  if (any_case) {
    std::transform(word.begin(), word.end(), lower, [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    word = std::string_view(lower, word.size());
  }
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1))
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
  return false;
}

// Which of the words the text begins with.
std::string_view begins_with(std::string_view words, std::string_view text) {
  for (std::size_t at = 1; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = words.substr(at, end - at);
    if (!word.empty() && text.starts_with(word)) return word;
    at = end + 1;
  }
  return {};
}

// Where a string that begins at 0 ends.
std::size_t quoted_end(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[0])
      return i + 1;
  }
  return text.npos;
}

bool is_diff(std::string_view name) { return name == "diff" || name == "patch"; }
const Language diff_language{" diff patch ", " ", ""};

Line diff_line(std::string_view source) {
  Style style;
  if (source.starts_with("+++") || source.starts_with("---") || source.starts_with("@@"))
    style.dim = true;
  else if (source.starts_with('+'))
    style.colour = Colour::green;
  else if (source.starts_with('-'))
    style.colour = Colour::red;
  return line_of(source, style);
}

}  // namespace

const Language* language_of(std::string_view name) {
  const std::string_view word = name.substr(0, name.find_first_of(" \t{,:"));
  if (word.empty()) return nullptr;
  if (is_diff(word)) return &diff_language;
  for (const Language& language : languages)
    if (has_word(language.names, word, true)) return &language;
  return nullptr;
}

Line CodeHighlight::line(std::string_view source) {
  if (language_ == nullptr) return line_of(source);
  if (language_ == &diff_language) return diff_line(source);
  Line out;
  std::size_t at = 0;
  const auto take = [&](std::size_t count, const Style& style) {
    count = std::min(count, source.size() - at);
    add(out, source.substr(at, count), style);
    at += count;
  };
  // To the end of a comment or string that may go on with the next line.
  const auto take_until = [&](std::string_view end, std::size_t from, bool in_comment) {
    const std::size_t found = source.find(end, from);
    until_ = found == source.npos ? end : std::string_view();
    in_comment_ = in_comment;
    take(found == source.npos ? source.size() : found + end.size() - at,
         in_comment ? comment : text_style);
  };
  if (!until_.empty()) take_until(until_, 0, in_comment_);
  while (at < source.size()) {
    const std::string_view rest = source.substr(at);
    const char c = rest.front();
    const bool after_word = at > 0 && (is_letter(source[at - 1]) || is_digit(source[at - 1]));
    if (!language_->block_begins.empty() && rest.starts_with(language_->block_begins)) {
      take_until(language_->block_ends, at + language_->block_begins.size(), true);
    } else if (const auto mark = begins_with(language_->comments, rest);
               !mark.empty() && (mark != "#" || at == 0 || source[at - 1] == ' ')) {
      take(rest.size(), comment);
    } else if (const auto quote = begins_with(language_->long_quotes, rest); !quote.empty()) {
      take_until(quote, at + quote.size(), false);
    } else if (language_->quotes.find(c) != std::string_view::npos && !(c == '\'' && after_word)) {
      const std::size_t end = quoted_end(rest);
      // One that does not end is an apostrophe, say.
      take(end == rest.npos ? 1 : end, end == rest.npos ? Style() : text_style);
    } else if (is_letter(c)) {
      std::size_t size = 1;
      while (size < rest.size() && (is_letter(rest[size]) || is_digit(rest[size]))) ++size;
      const bool known = has_word(language_->keywords, rest.substr(0, size), language_->any_case);
      take(size, known ? keyword : Style());
    } else if (is_digit(c) && !after_word) {
      std::size_t size = 1;
      while (size < rest.size() &&
             (is_digit(rest[size]) || is_letter(rest[size]) || rest[size] == '.'))
        ++size;
      take(size, number_style);
    } else {
      take(std::max<std::size_t>(std::min(rest.find_first_not_of(' '), rest.size()), 1), {});
    }
  }
  return out;
}

}  // namespace acp::chat
