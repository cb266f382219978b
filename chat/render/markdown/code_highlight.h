// Colours a program's text line by line: keywords, strings, numbers, comments. By a table, not a
// parser: unknown words stay as they are.
#pragma once

#include <string_view>

#include "chat/render/text/styled.h"

namespace acp::chat {

struct Language;

// Finds a language by its name after the ``` of Markdown, or an extension: "cpp", "python", "rs".
// Null if it is not known.
const Language* language_of(std::string_view name);

// Highlights lines in order: comments and strings may span lines.
class CodeHighlight {
 public:
  CodeHighlight() = default;
  explicit CodeHighlight(std::string_view name) : language_(language_of(name)) {}

  // Highlights the next line, given without its end.
  Line line(std::string_view source);

 private:
  const Language* language_ = nullptr;
  std::string_view until_;  // a comment or a string goes on to here
  bool in_comment_ = false;
};

}  // namespace acp::chat
