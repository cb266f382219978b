// The words of a program in colour, line by line: keywords, strings, numbers, comments. A table,
// not a parser: what it does not know stays as it is.
#pragma once

#include <string_view>

#include "chat/render/text/styled.h"

namespace acp::chat {

struct Language;

// By a name as it stands after the ``` of Markdown, or an extension: "cpp", "python", "rs". Null if
// it is not known.
const Language* language_of(std::string_view name);

// What begins on one line may end on another: comments and strings.
class CodeHighlight {
 public:
  CodeHighlight() = default;
  explicit CodeHighlight(std::string_view name) : language_(language_of(name)) {}

  // The next line, without its end.
  Line line(std::string_view source);

 private:
  const Language* language_ = nullptr;
  std::string_view until_;  // a comment or a string goes on to here
  bool in_comment_ = false;
};

}  // namespace acp::chat
