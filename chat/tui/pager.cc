#include "chat/tui/pager.h"

#include <algorithm>

#include "acp/io/printable.h"
#include "chat/render/question_view.h"

namespace acp::chat {

Lines Pager::page(const Line& title, const Lines& all, std::size_t columns, std::size_t rows) {
  constexpr std::size_t with_frame = 4;
  const std::size_t others = rows < with_frame ? 1 : 3;
  page_ = rows > others + 1 ? rows - others : 1;
  first_ = std::min(first_, all.size() > page_ ? all.size() - page_ : 0);
  const std::size_t end = std::min(first_ + page_, all.size());
  const Lines part(all.begin() + static_cast<std::ptrdiff_t>(first_),
                   all.begin() + static_cast<std::ptrdiff_t>(end));
  Lines out;
  if (rows < with_frame)
    for (const Line& line : part) out.push_back(fit(line, columns));
  else
    out = framed(title, part, columns, io::whole, "");
  const std::string place = "  lines " + std::to_string(first_ + 1) + "–" + std::to_string(end) +
                            " of " + std::to_string(all.size());
  out.push_back(fit(line_of(place, {.dim = true}), columns));
  return out;
}

bool Pager::scroll(const std::string& name) {
  if (name == "Up" || name == "k")
    first_ -= std::min<std::size_t>(first_, 1);
  else if (name == "Down" || name == "j")
    ++first_;
  else if (name == "PageUp")
    first_ -= std::min(first_, page_);
  else if (name == "PageDown" || name == " ")
    first_ += page_;
  else if (name == "Home" || name == "g")
    first_ = 0;
  else if (name == "End" || name == "G")
    first_ = io::whole / 2;
  else
    return false;
  return true;
}

}  // namespace acp::chat
