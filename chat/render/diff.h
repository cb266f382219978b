// What has changed in a text, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chat/render/text/styled.h"

namespace acp::chat {

struct Hunk {
  struct Row {
    char mark = ' ';  // or - or +
    std::string_view text;
    bool no_newline = false;  // it is the last, and its line has no end
  };

  std::size_t old_line = 0;  // where it begins, from 1; 0 if there is nothing
  std::size_t old_count = 0;
  std::size_t new_line = 0;
  std::size_t new_count = 0;
  std::vector<Row> rows;
};

// Its rows are views into the two texts.
struct TextDiff {
  std::size_t inserted = 0;
  std::size_t deleted = 0;
  bool binary = false;  // then there are no hunks
  bool coarse = false;  // too different: all between the first and the last change is replaced
  std::size_t old_bytes = 0;
  std::size_t new_bytes = 0;
  std::vector<Hunk> hunks;
};

// A text that is kept as long as the diff: not a temporary string.
struct KeptText {
  KeptText(std::string_view text) : view(text) {}
  KeptText(const char* text) : view(text) {}
  KeptText(const std::string& text) : view(text) {}
  KeptText(const std::string&&) = delete;

  std::string_view view;
};

// Finds the fewest changes (Myers), up to `most_changes`: time and memory are bounded by its square
// and by the size of the texts.
TextDiff diff(KeptText old_text, KeptText new_text, std::size_t context = 3,
              std::size_t most_changes = 1000);

// Draws hunks with their headings. Wraps lines, and cuts very long ones, unless `whole_lines`;
// after `most_rows` says how much more there is. 0 is no limit.
Lines diff_lines(const TextDiff& diff, std::size_t columns, std::size_t most_rows = 0,
                 bool whole_lines = false);
// "+3 -1"
Line diff_counts(const TextDiff& diff);

}  // namespace acp::chat
