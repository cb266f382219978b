// The syntax of --fault.
#include <array>
#include <charconv>
#include <utility>

#include "check/wire/fault.h"

namespace acp::check {
namespace {

using Kind = FaultSpec::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 11> kinds = {{
    {"delay", Kind::delay},
    {"split", Kind::split},
    {"merge", Kind::merge},
    {"drop", Kind::drop},
    {"duplicate", Kind::duplicate},
    {"reorder", Kind::reorder},
    {"corrupt", Kind::corrupt},
    {"truncate", Kind::truncate},
    {"noise", Kind::noise},
    {"stall", Kind::stall},
    {"kill", Kind::kill},
}};

// The whole of it, or nothing.
template <class T>
std::optional<T> number(std::string_view text) {
  T value = {};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::chrono::milliseconds> time_of(std::string_view text) {
  std::size_t unit = 1000;
  if (text.ends_with("ms"))
    unit = 1, text.remove_suffix(2);
  else if (text.ends_with('s'))
    text.remove_suffix(1);
  else
    return std::nullopt;
  const auto value = number<double>(text);
  if (!value || *value < 0 || *value > 1e6) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*value * static_cast<double>(unit)));
}

}  // namespace

std::string_view to_string(FaultSpec::Kind kind) {
  for (const auto& [name, each] : kinds)
    if (each == kind) return name;
  return "";
}

FaultSpec read_fault(std::string_view text) {
  const auto fail = [&](const std::string& what) -> BadFaultSpec {
    return BadFaultSpec("'" + std::string(text) + "': " + what);
  };
  FaultSpec spec;
  spec.text = text;
  std::string_view rest = text;
  // Up to the next colon.
  const auto take = [&] {
    const std::size_t colon = rest.find(':');
    const std::string_view part = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    return part;
  };

  std::string_view name = take();
  std::string_view amount;
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos)
    amount = name.substr(equals + 1), name = name.substr(0, equals);
  bool known = false;
  for (const auto& [each, kind] : kinds)
    if (each == name) spec.kind = kind, known = true;
  if (!known) {
    std::string names;
    for (const auto& each : kinds) names += (names.empty() ? "" : ", ") + std::string(each.first);
    throw fail("the fault is one of: " + names);
  }
  if (equals != std::string_view::npos) {
    if (spec.kind == Kind::delay || spec.kind == Kind::stall) {
      spec.time = time_of(amount);
      if (!spec.time) throw fail("expected a time such as 50ms or 2s after the =");
    } else if (spec.kind == Kind::split) {
      const auto pieces = number<std::size_t>(amount);
      if (!pieces || *pieces < 2 || *pieces > 1000) throw fail("expected 2 to 1000 pieces");
      spec.pieces = *pieces;
    } else {
      throw fail(std::string(name) + " takes no amount");
    }
  }

  std::string_view side = take();
  const std::size_t mark = side.find('@');
  if (mark != std::string_view::npos) {
    spec.at = number<std::size_t>(side.substr(mark + 1));
    if (!spec.at || *spec.at == 0) throw fail("expected a number from 1 after the @");
    side = side.substr(0, mark);
  }
  spec.client = side == "client" || side == "both";
  spec.agent = side == "agent" || side == "both";
  if (!spec.client && !spec.agent)
    throw fail("whose frames are meant is one of: client, agent, both");

  if (rest.empty()) return spec;
  const std::string_view before = rest, first = take();
  if (number<double>(first))
    throw fail("a chance has a %: " + std::string(first) + "%; the Nth frame is " +
               std::string(side) + "@N");
  if (first.ends_with('%')) {
    std::string_view percent = before.substr(0, before.find('%'));
    const auto chance = number<double>(percent);
    if (!chance || *chance < 0 || *chance > 100) throw fail("expected 0% to 100%");
    if (spec.at) throw fail("either @N or P%, not both");
    spec.chance = *chance / 100;
  } else {
    rest = before;
  }
  spec.method = rest;
  return spec;
}

}  // namespace acp::check
