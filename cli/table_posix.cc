#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "acp/io/printable.h"
#include "chat/render/text/text.h"
#include "cli/table.h"

namespace acp::cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;  // of a column that is shortened

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(' '), text.size());
    longest = std::max(longest, chat::width(text.substr(0, end)));
  }
  return longest;
}

// What a column would take, and what it needs so that no word in it is broken: a URL or a name in
// two parts cannot be copied.
struct Column {
  std::size_t wanted = 0, needed = 0;
};

// Gives each column its wish up to an equal share, but at least its longest word if there is room
// for the words of all. Otherwise the names, in the first column, stay whole if they take no more
// than half.
std::vector<std::size_t> shares(std::vector<Column> all, std::size_t columns) {
  const std::size_t gaps = gap * (all.size() - 1);
  const std::size_t room = columns > gaps ? columns - gaps : 0;
  std::size_t needed = 0, most = 0, least = 0;
  for (const Column& one : all) {
    needed += one.needed;
    most = std::max(most, one.wanted);
  }
  if (needed > room) {
    least = narrowest;
    for (Column& one : all) one.needed = 0;
    if (Column& first = all.front(); first.wanted <= room / 2) first.needed = first.wanted;
  }
  const auto share = [&](const Column& one) {
    return std::max(one.needed, std::min(one.wanted, std::max(most, least)));
  };
  const auto sum = [&] {
    std::size_t total = 0;
    for (const Column& one : all) total += share(one);
    return total;
  };
  while (most > least && sum() > room) --most;
  std::vector<std::size_t> widths;
  for (const Column& one : all) widths.push_back(share(one));
  return widths;
}

std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  const auto add = [&](std::string_view word) {
    std::string& line = lines.back();
    const std::size_t before = line.empty() ? 0 : chat::width(line) + 1;
    if (before + chat::width(word) <= width) {
      line += (line.empty() ? "" : " ") + std::string(word);
      return;
    }
    if (!line.empty()) lines.emplace_back();
    while (chat::width(word) > width) {
      std::string_view part = chat::cut(word, width);
      if (part.empty()) part = chat::first_cluster(word).text;
      lines.back() = std::string(part);
      lines.emplace_back();
      word.remove_prefix(part.size());
    }
    lines.back() = std::string(word);
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::size_t output_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0) return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = io::one_line(cell, io::whole);
  rows_.push_back(std::move(row));
}

void Table::print() const { print(std::cout, output_columns()); }

void Table::print(std::ostream& out, std::size_t columns) const {
  if (empty()) return;
  std::vector<Column> wishes(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      wishes[i].wanted = std::max(wishes[i].wanted, chat::width(row[i]));
      wishes[i].needed = std::max(wishes[i].needed, longest_word(row[i]));
    }
  const std::vector<std::size_t> widths =
      shares(std::move(wishes), columns > 0 ? columns : std::string::npos);
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(chat::width(row[i]) <= widths[i] ? std::vector{row[i]}
                                                       : broken(row[i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = at < cells[i].size() ? cells[i][at] : "";
        line += cell + std::string(widths[i] - std::min(widths[i], chat::width(cell)) + gap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << "\n";
    }
  }
}

}  // namespace acp::cli
