// The block structure of Markdown, found line by line as the text arrives. A piece is output as
// soon as later text cannot change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

// A container of blocks: a quote or an item of a list.
struct Container {
  bool quote = false;       // or else an item of a list
  std::size_t indent = 0;   // columns that what belongs to the item is indented by
  char delimiter = '-';     // - + * . )
  unsigned number = 0;      // of an ordered item
  std::string marker = {};  // as it is shown
  bool fresh = true;        // nothing in it has been output
};

// The head of a table that is output in parts: later rows get the columns of the first part.
struct TableHead {
  std::string first;  // its beginning, that the widths of the columns come from
  // Those widths, once they are known for so many columns of screen.
  mutable std::size_t screen = 0;
  mutable std::vector<std::size_t> widths = {};
};

struct Piece {
  enum class Kind : std::uint8_t {
    nothing,     // an item or quote that stayed empty
    paragraph,   // inline text
    heading,     // inline text
    table,       // its lines
    code_begin,  // text: the language, or empty
    code_line,
    rule,
  };

  Kind kind = Kind::nothing;
  std::string text = {};
  int level = 0;              // of a heading
  bool space_before = false;  // a blank line
  std::vector<Container> containers = {};
  std::shared_ptr<const TableHead> continues = {};
};

// CommonMark with tables, and with these limits, so that no text makes it slow: a paragraph of
// more than 2 KiB, a line of code of more than 1 KiB and a table of more than 4 KiB is given out in
// parts; containers nest 32
// deep, more markers are text; a table has at most 64 columns. HTML is inline text; definitions of
// link references are text, since what uses them may be on the screen already.
//
// Where the text is cut depends only on the text. The cost of a copy depends on the open blocks.
class BlockParser {
 public:
  void append(std::string_view text, std::vector<Piece>& out);
  // Closes all open blocks. What is appended later begins anew.
  void finish(std::vector<Piece>& out);
  // Whether nothing waits to be shown.
  bool idle() const { return pending_.empty() && !leaf_ && !has_fresh(); }

 private:
  struct Leaf {
    enum class Kind : std::uint8_t { paragraph, table, fence, indented };

    Kind kind = Kind::paragraph;
    std::string text = {};
    char fence = '`';
    std::size_t fence_length = 0;
    std::size_t fence_indent = 0;
    std::size_t blank_lines = 0;  // of indented code: content, if more of it follows
    bool cut = false;             // a part of it has been output
    std::size_t rows = 0;         // where a table's rows begin
    std::shared_ptr<const TableHead> head = {};
  };

  void cut_pending(std::vector<Piece>& out);
  void end_line(std::vector<Piece>& out);
  void line(std::string_view text, std::vector<Piece>& out);
  // Reads more of a line whose beginning line() has seen.
  void more(std::string_view text, std::vector<Piece>& out);
  bool in_code(std::string_view rest, std::vector<Piece>& out);
  // Begins a block if this line does. `rest` then follows the markers of containers.
  bool begin_block(std::string_view& rest, std::size_t& matched, std::vector<Piece>& out);
  bool begin_item(std::string_view& rest, std::size_t& matched, std::vector<Piece>& out);
  bool underlines(std::string_view rest, std::size_t matched, std::vector<Piece>& out);
  void text_line(std::string_view rest, std::size_t matched, std::vector<Piece>& out);
  bool begin_table(std::string_view row, std::vector<Piece>& out);
  void give_out_long(std::vector<Piece>& out);

  std::size_t match_containers(std::string_view& rest) const;
  bool has_fresh() const;
  void close_leaf(std::vector<Piece>& out);
  void close_to(std::size_t depth, std::vector<Piece>& out);
  void emit(Piece piece, std::vector<Piece>& out);

  std::string pending_;   // a line without its end
  bool in_line_ = false;  // its beginning has been processed
  std::vector<Container> containers_;
  std::optional<Leaf> leaf_;
  std::optional<Container> sibling_;  // the item that was closed last, at this depth:
  std::size_t sibling_depth_ = 0;
  bool blank_ = false;        // a blank line since the last piece
  bool any_ = false;          // a piece was output
  bool was_in_list_ = false;  // the last one
};

}  // namespace acp::chat
