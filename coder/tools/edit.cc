#include "coder/tools/edit.h"

#include <string.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "acp/error.h"

namespace acp::coder {

namespace {

constexpr std::size_t shown_lines = 10;

// What the search for a hint may cost: bytes and lines that are compared.
constexpr std::size_t hint_steps = 20'000'000;

// In a time that does not depend on what the two are: string_view::find may take the product of
// their sizes.
std::size_t find(std::string_view text, std::string_view part, std::size_t from = 0) {
  const void* const found =
      memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// At most so many: one more than are allowed is enough to know.
std::vector<std::size_t> occurrences(std::string_view text, std::string_view part,
                                     std::size_t most) {
  std::vector<std::size_t> found;
  for (std::size_t at = find(text, part); at != std::string_view::npos && found.size() < most;
       at = find(text, part, at + part.size()))
    found.push_back(at);
  return found;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The line of each place, in their order; the text is gone through once.
std::vector<std::size_t> lines_at(std::string_view text, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> order(places.size()), lines(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::size_t line = 1, counted = 0;
  for (const std::size_t i : order) {
    const std::size_t place = std::min(places[i], text.size());
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(place),
                                                '\n'));
    counted = place;
    lines[i] = line;
  }
  return lines;
}

std::string with_crlf(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) result += '\r';
    result += text[i];
  }
  return result;
}

bool uses_crlf(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return lines;
}

std::string without_space(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') result += c;
  return result;
}

// Where in the text the lines stand that differ from the part in nothing but white space; 0 if they
// do nowhere.
std::size_t line_but_for_space(std::string_view text, std::string_view part) {
  const std::string wanted = without_space(part);
  if (wanted.empty()) return 0;
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<std::string> bare;
  for (const std::string_view line : lines) bare.push_back(without_space(line));
  std::size_t steps = 0;
  for (std::size_t first = 0; first < bare.size(); ++first) {
    if (bare[first].empty()) continue;
    std::string_view left = wanted;
    for (std::size_t i = first; i < bare.size() && !left.empty(); ++i) {
      const std::size_t length = std::min(left.size(), bare[i].size());
      if ((steps += 1 + length) > hint_steps) return 0;
      if (left.substr(0, length) != std::string_view(bare[i]).substr(0, length)) break;
      left.remove_prefix(length);
    }
    if (left.empty()) return first + 1;
  }
  return 0;
}

std::string first_line_with_text(std::string_view part) {
  for (const std::string_view line : lines_of(part)) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t\r");
    return std::string(line.substr(begin, end + 1 - begin));
  }
  return {};
}

std::string why_not_found(std::string_view text, std::string_view part) {
  if (const std::size_t line = line_but_for_space(text, part); line != 0)
    return "it is not there as given, but the text at line " + std::to_string(line) +
           " differs from it in white space only: read the file and give the text exactly";
  const std::string first = first_line_with_text(part);
  if (const std::size_t at = first.empty() ? std::string_view::npos : find(text, first);
      at != std::string_view::npos)
    return "it is not there; its first line stands at line " + std::to_string(line_of(text, at)) +
           ", but what follows is different: read the file again";
  return "it is not there: read the file again";
}

std::string name_of(std::size_t index, std::size_t count) {
  return count == 1 ? "the text to replace"
                    : "the text of replacement " + std::to_string(index + 1);
}

}  // namespace

Edited replace_in(const std::string& text, const std::vector<Replacement>& replacements,
                  const EditLimits& limits) {
  if (replacements.empty()) throw EditFailed("no replacement was given");
  Edited result;
  result.text = text;
  const bool crlf = uses_crlf(text);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    if (limits.stop.stop_requested()) throw Cancelled();
    const std::string name = name_of(i, replacements.size());
    std::string old_text = replacements[i].old_text, new_text = replacements[i].new_text;
    if (old_text.empty())
      throw EditFailed(name + " is empty: to write a whole file, use the tool for that");
    if (crlf) new_text = with_crlf(new_text);
    const std::size_t most = limits.places - places.size() + 1;
    std::vector<std::size_t> found = occurrences(result.text, old_text, most);
    if (found.empty() && crlf) {
      old_text = with_crlf(old_text);
      found = occurrences(result.text, old_text, most);
    }
    if (old_text == new_text) throw EditFailed(name + " and what it becomes are the same");
    if (found.empty()) throw EditFailed(name + ": " + why_not_found(result.text, old_text));
    if (found.size() > 1 && !replacements[i].all) {
      std::string lines;
      for (std::size_t n = 0; n < std::min(found.size(), shown_lines); ++n)
        lines += (n == 0 ? "" : ", ") + std::to_string(line_of(result.text, found[n]));
      if (found.size() > shown_lines) lines += ", …";
      throw EditFailed(name + " occurs " + (found.size() == most ? "at least " : "") +
                       std::to_string(found.size()) + " times, at the lines " + lines +
                       ": give more of the text around it, or replace all");
    }
    if (found.size() == most)
      throw EditFailed("more than " + std::to_string(limits.places) +
                       " places would be replaced: make the change with a command");
    // Known before it is built: a few replacements can make any size of a small text.
    const std::size_t kept = result.text.size() - found.size() * old_text.size();
    if (kept > limits.bytes ||
        (!new_text.empty() && found.size() > (limits.bytes - kept) / new_text.size()))
      throw EditFailed("the text would have more than " + std::to_string(limits.bytes) +
                       " bytes (limits.edit_bytes)");
    std::string changed;
    changed.reserve(kept + found.size() * new_text.size());
    std::size_t from = 0;
    const std::size_t first = places.size();
    for (const std::size_t at : found) {
      changed.append(result.text, from, at - from);
      places.push_back(changed.size());
      changed += new_text;
      from = at + old_text.size();
    }
    changed.append(result.text, from, std::string::npos);
    // What was replaced before has moved by what was put in or taken out in front of it.
    for (std::size_t p = 0; p < first; ++p) {
      const auto before = static_cast<std::size_t>(
          std::lower_bound(found.begin(), found.end(), places[p]) - found.begin());
      places[p] += before * new_text.size();
      places[p] -= std::min(places[p], before * old_text.size());
    }
    result.text = std::move(changed);
  }
  result.lines = lines_at(result.text, places);
  return result;
}

}  // namespace acp::coder
