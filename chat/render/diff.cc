#include "chat/render/diff.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

using Ids = std::vector<std::uint32_t>;  // equal lines have equal numbers

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));  // with its end: a missing one is a change
    text.remove_prefix(end);
  }
  return lines;
}

// Which lines of either side are changed.
struct Marks {
  std::vector<bool> deleted;
  std::vector<bool> inserted;
  bool coarse = false;
};

// Myers' greedy algorithm. False if it takes more than `most` changes.
class Search {
 public:
  Search(const std::uint32_t* a, std::size_t n, const std::uint32_t* b, std::size_t m)
      : a_(a), b_(b), n_(static_cast<long>(n)), m_(static_cast<long>(m)) {}

  bool run(std::size_t most) {
    const long limit = std::min(static_cast<long>(most), n_ + m_);
    std::vector<long> reach(static_cast<std::size_t>(2 * limit + 3));
    const auto at = [&](long k) -> long& { return reach[static_cast<std::size_t>(k + limit + 1)]; };
    for (long d = 0; d <= limit; ++d) {
      trail_.emplace_back();
      for (long k = -d; k <= d; k += 2) {
        long x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && a_[x] == b_[x - k]) ++x;
        at(k) = x;
        trail_.back().push_back(x);  // for k = -d, -d+2, ...
        if (x >= n_ && x - k >= m_) return true;
      }
    }
    return false;
  }

  // Walks back from the end.
  template <class Deleted, class Inserted>
  void changes(Deleted deleted, Inserted inserted) const {
    long x = n_;
    long y = m_;
    for (long d = static_cast<long>(trail_.size()) - 1; d > 0; --d) {
      const long k = x - y;
      const auto before = [&](long diagonal) {
        return trail_[static_cast<std::size_t>(d - 1)]
                     [static_cast<std::size_t>((diagonal + d - 1) / 2)];
      };
      const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
      if (down) {
        x = before(k + 1);
        y = x - k - 1;
        inserted(y);
      } else {
        x = before(k - 1);
        y = x - k + 1;
        deleted(x);
      }
    }
  }

 private:
  const std::uint32_t* a_;
  const std::uint32_t* b_;
  long n_;
  long m_;
  std::vector<std::vector<long>> trail_;
};

Marks compare(const Ids& a, const Ids& b, std::size_t most) {
  Marks marks{std::vector<bool>(a.size()), std::vector<bool>(b.size())};
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t front = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  std::size_t back = 0;
  while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  const std::size_t n = a.size() - front - back;
  const std::size_t m = b.size() - front - back;
  const auto offset = static_cast<std::ptrdiff_t>(front);
  Search search(a.data() + front, n, b.data() + front, m);
  // Where one side is empty there is nothing to search.
  if (n > 0 && m > 0 && search.run(most)) {
    search.changes([&](long x) { marks.deleted[static_cast<std::size_t>(x + offset)] = true; },
                   [&](long y) { marks.inserted[static_cast<std::size_t>(y + offset)] = true; });
    return marks;
  }
  marks.coarse = n > 0 && m > 0;
  std::fill_n(marks.deleted.begin() + offset, n, true);
  std::fill_n(marks.inserted.begin() + offset, m, true);
  return marks;
}

Hunk::Row row_of(char mark, std::string_view line) {
  const bool ended = !line.empty() && line.back() == '\n';
  if (ended) line.remove_suffix(1);
  return {mark, line, !ended};
}

// Gathers changes that are near each other.
class Hunks {
 public:
  Hunks(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
        const Marks& marks, std::size_t context)
      : a_(a), b_(b), marks_(marks), context_(context) {}

  std::vector<Hunk> take() {
    std::size_t x = 0;
    std::size_t y = 0;
    while (x < a_.size() || y < b_.size()) {
      const bool gone = x < a_.size() && marks_.deleted[x];
      const bool came = y < b_.size() && marks_.inserted[y];
      if (!gone && !came) {
        same(x++);
        ++y;
        continue;
      }
      if (!open_) begin(x, y);
      if (gone)
        add(row_of('-', a_[x++]), true, false);
      else
        add(row_of('+', b_[y++]), false, true);
      quiet_ = 0;
    }
    close();
    return std::move(hunks_);
  }

 private:
  void begin(std::size_t x, std::size_t y) {
    const std::size_t before = std::min(context_, x);
    open_ = true;
    hunks_.emplace_back();
    hunks_.back().old_line = x - before + 1;
    hunks_.back().new_line = y - before + 1;
    for (std::size_t i = x - before; i < x; ++i) add(row_of(' ', a_[i]), true, true);
  }
  void same(std::size_t x) {
    if (!open_) return;
    add(row_of(' ', a_[x]), true, true);
    if (++quiet_ > 2 * context_) close();
  }
  // The rows at its end that no change follows are context, and no more than that.
  void close() {
    if (!open_) return;
    Hunk& hunk = hunks_.back();
    const std::size_t over = quiet_ > context_ ? quiet_ - context_ : 0;
    hunk.rows.resize(hunk.rows.size() - over);
    hunk.old_count -= over;
    hunk.new_count -= over;
    if (hunk.old_count == 0) --hunk.old_line;  // as diff -u does: the line before
    if (hunk.new_count == 0) --hunk.new_line;
    open_ = false;
    quiet_ = 0;
  }
  void add(Hunk::Row row, bool old_side, bool new_side) {
    Hunk& hunk = hunks_.back();
    hunk.rows.push_back(row);
    hunk.old_count += old_side ? 1 : 0;
    hunk.new_count += new_side ? 1 : 0;
  }

  const std::vector<std::string_view>& a_;
  const std::vector<std::string_view>& b_;
  const Marks& marks_;
  std::size_t context_;
  std::vector<Hunk> hunks_;
  bool open_ = false;
  std::size_t quiet_ = 0;  // unchanged rows since the last change
};

}  // namespace

TextDiff diff(KeptText kept_old, KeptText kept_new, std::size_t context, std::size_t most_changes) {
  const std::string_view old_text = kept_old.view;
  const std::string_view new_text = kept_new.view;
  TextDiff result;
  result.old_bytes = old_text.size();
  result.new_bytes = new_text.size();
  if (old_text.find('\0') != old_text.npos || new_text.find('\0') != new_text.npos) {
    result.binary = true;
    return result;
  }
  const auto a = lines_of(old_text);
  const auto b = lines_of(new_text);
  std::unordered_map<std::string_view, std::uint32_t> known;
  const auto number = [&](const std::vector<std::string_view>& lines) {
    Ids ids;
    for (const auto line : lines)
      ids.push_back(
          known.try_emplace(line, static_cast<std::uint32_t>(known.size())).first->second);
    return ids;
  };
  const Ids old_ids = number(a);
  const Ids new_ids = number(b);
  const Marks marks = compare(old_ids, new_ids, most_changes);
  result.coarse = marks.coarse;
  result.deleted =
      static_cast<std::size_t>(std::count(marks.deleted.begin(), marks.deleted.end(), true));
  result.inserted =
      static_cast<std::size_t>(std::count(marks.inserted.begin(), marks.inserted.end(), true));
  result.hunks = Hunks(a, b, marks, context).take();
  return result;
}

}  // namespace acp::chat
