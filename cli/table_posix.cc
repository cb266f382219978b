#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "acp/io/printable.h"
#include "chat/text.h"
#include "cli/table.h"

namespace acp::cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 8;  // of a column that is shortened

// As much for each as it wants, while that is no more than its share of what there is. Names, which
// stand first, stay whole if they take no more than half.
std::vector<std::size_t> shares(std::vector<std::size_t> wanted, std::size_t columns) {
  const std::size_t gaps = gap * (wanted.size() - 1);
  std::size_t room = std::max(columns > gaps ? columns - gaps : 0, narrowest * wanted.size());
  const bool whole = wanted.size() > 1 && wanted.front() <= room / 2 &&
                     room - wanted.front() >= narrowest * (wanted.size() - 1);
  const auto first = wanted.begin() + (whole ? 1 : 0);
  if (whole) room -= wanted.front();
  const auto sum = [&](std::size_t most) {
    std::size_t total = 0;
    for (auto at = first; at != wanted.end(); ++at) total += std::min(*at, most);
    return total;
  };
  std::size_t most = *std::max_element(first, wanted.end());
  while (most > narrowest && sum(most) > room) --most;
  for (auto at = first; at != wanted.end(); ++at) *at = std::min(*at, most);
  return wanted;
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
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], chat::width(row[i]));
  if (columns > 0) widths = shares(std::move(widths), columns);
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
