// Rows for people to read, in columns that fit the terminal.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace acp::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> titles) : rows_{std::move(titles)} {}
  // Each cell is made printable, on one line.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() < 2; }
  // The columns stand below one another; nothing if there is no row. What is wider than `columns`
  // is broken into lines inside its own column; 0 is no limit, and one line for each row.
  void print(std::ostream& out, std::size_t columns) const;
  // To standard output: as wide as its terminal. No limit if that is no terminal.
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Of the terminal that is standard output; 0 if it is none.
std::size_t output_columns();

}  // namespace acp::cli
