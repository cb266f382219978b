// One of several types: told apart by a tag, or by what fits.
#include <string>

#include "acp/json/decoder.h"
#include "acp/json/match.h"
#include "acp/json/temporary.h"

namespace acp::json {
namespace {

// An arm that is read in one pass over its members.
bool is_plain(const Type& type) {
  return type.kind == Kind::object && !type.object->null_is_empty && type.object->flat == nullptr;
}

std::size_t arm_of(const Union& table, std::string_view tag) {
  for (std::size_t i = 0; i < table.arms.size(); ++i)
    if (!table.arms[i].tag.empty() && tag == table.arms[i].tag) return i;
  return table.arms.size();
}

}  // namespace

bool Decoder::find_tag(std::string_view name, bool first_only, Tag& tag) {
  const Mark start = mark();
  tag.kind = Tag::absent;
  if (!in_.begin_object()) return false;
  bool first = true;
  std::string_view key;
  while (in_.next_key(first, key)) {
    if (key != name) {
      if (!in_.skip()) return false;
      continue;
    }
    const ValueKind kind = in_.peek();
    const char* at = in_.at();
    tag.kind = kind == ValueKind::string ? Tag::text
               : kind == ValueKind::null ? Tag::null
                                         : Tag::other;
    if (kind == ValueKind::string) {
      if (!in_.text(tag.text_value)) return false;
      if (tag.text_value.data() !=
          at + 1) {  // not a piece of the text: it lives until the next key only
        tag.unescaped = tag.text_value;
        tag.text_value = tag.unescaped;
      }
    } else {
      if (!in_.skip()) return false;
      tag.got = in_.found(at);
    }
    if (first_only) break;
  }
  if (in_.failed()) return false;
  in_.rewind(start.at, start.depth);
  return true;
}

bool Decoder::read_union(const Union& table, void* value, const Known* known) {
  if (!table.tagged()) return read_untagged(table, value, known);
  const ValueKind kind = in_.peek();
  if (kind != ValueKind::object)
    return kind == ValueKind::none ? in_.begin_object() : in_.wrong_kind(in_.at(), "an object");
  const Mark start = mark();
  const Known with_tag{nullptr, table.tag(), known};

  // The tag is the first member of what most peers write. Trust it, and look for a second one only
  // if it was met, or could explain a failure.
  if (!in_.enter() && !in_.begin_object()) return false;
  std::size_t arm = table.arms.size();
  if (stands_at(in_.at(), in_.end(), table.quoted)) {
    in_.move_to(in_.at() + table.quoted.size());
    const bool is_text = in_.peek() == ValueKind::string;
    arm = listed(in_.at(), in_.end(), arm, [&](std::size_t i) { return table.arms[i].tag; });
    if (arm < table.arms.size()) {
      in_.move_to(in_.at() + table.arms[arm].tag.size() + 2);
    } else if (is_text) {
      std::string_view tag;
      if (!in_.text(tag)) return false;
      arm = arm_of(table, tag);
    }
  }
  if (arm == table.arms.size() || !is_plain(*table.arms[arm].type)) {
    in_.rewind(start.at, start.depth);
    return read_by_last_tag(table, value, known);
  }
  int tags = 1;
  void* room = table.ops->first(value, arm);
  const bool ok = read_members(*table.arms[arm].type->object, room, &with_tag, &tags, start, false);
  return in_.fatal() || (ok && tags == 1) ? ok
                                          : check_last_tag(table, arm, ok, value, start, known);
}

// The value was read as this arm, or failed as that; does its last tag say so?
bool Decoder::check_last_tag(const Union& table, std::size_t arm, bool ok, void* value,
                             const Mark& start, const Known* known) {
  Tag tag;
  Reader after = in_;
  const bool noted = path_noted_;
  std::vector<DecodeReport> reports = reports_;
  go_back(start);
  if (!find_tag(table.tag(), false, tag)) return false;
  if (tag.kind == Tag::text && arm_of(table, tag.text_value) == arm) {
    in_ = std::move(after);
    path_noted_ = noted;
    reports_ = std::move(reports);
    return ok;
  }
  return read_by_last_tag(table, value, known);
}

bool Decoder::read_by_last_tag(const Union& table, void* value, const Known* known) {
  const Known with_tag{nullptr, table.tag(), known};
  const Mark start = mark();
  Tag tag;
  if (!find_tag(table.tag(), false, tag)) return false;
  if (tag.kind == Tag::text) {
    const std::size_t arm = arm_of(table, tag.text_value);
    if (arm < table.arms.size()) return read_arm(table, arm, value, &with_tag);
  }
  if (table.none >= 0 && tag.kind != Tag::text) {
    if (tag.kind == Tag::other) {
      const bool ok = inside({path_, table.tag()}, [&] {
        if (strict_) return in_.mismatch(in_.at(), "a string or null", tag.got);
        report(DecodeReport::What::tolerated, "a string or null", tag.got);
        return true;
      });
      if (!ok) return false;
    }
    return read_arm(table, static_cast<std::size_t>(table.none), value, &with_tag);
  }
  if (table.fallback >= 0) {
    // The arm without a tag, as long as the value has its shape.
    if (read_arm(table, static_cast<std::size_t>(table.fallback), value, known)) return true;
    if (in_.fatal() || tag.kind != Tag::text) return false;
    go_back(start);
  }
  if (tag.kind == Tag::text) return read_unknown(table, value, tag.text_value, known);
  return inside({path_, table.tag()}, [&] {
    return in_.mismatch(in_.at(), "a string", tag.kind == Tag::absent ? "nothing" : tag.got);
  });
}

bool Decoder::read_arm(const Union& table, std::size_t arm, void* value, const Known* known) {
  return read(*table.arms[arm].type, table.ops->emplace(value, arm), 0, known);
}

bool Decoder::read_unknown(const Union& table, void* value, std::string_view tag,
                           const Known* known) {
  const Mark start = mark();
  const std::string name(tag);
  if (table.unknown < 0 || watched_) {
    std::string tags;
    for (const Arm& arm : table.arms)
      if (!arm.tag.empty()) tags += (tags.empty() ? "" : ", ") + std::string(arm.tag);
    const std::string expected = "one of " + tags;
    const bool refused = table.unknown < 0 || (strict_ && !(table.open && name.starts_with('_')));
    const bool ok = inside({path_, table.tag()}, [&] {
      Writer quoted;
      quoted.string(name);
      if (refused) return in_.mismatch(start.at, expected, "the string " + quoted.str());
      if (!(table.open && name.starts_with('_')))
        report(DecodeReport::What::unknown_tag, expected, "the string " + quoted.str());
      return true;
    });
    if (!ok) return false;
  }
  if (table.unknown_requires != nullptr) {
    // What it needs is checked; all else is its own business.
    const Known everything{nullptr, {}, nullptr, true};
    Temporary room(*table.unknown_requires);
    if (!read_object(*table.unknown_requires->object, room.get(), &everything)) return false;
    in_.rewind(start.at, start.depth);
  }
  auto& unknown =
      *static_cast<Unknown*>(table.ops->emplace(value, static_cast<std::size_t>(table.unknown)));
  unknown.tag = name;
  Writer payload;
  if (!in_.begin_object()) return false;
  {
    Members members(payload);
    bool first = true;
    std::string_view next;
    while (in_.next_key(first, next)) {
      const std::string key(next);
      std::string text;
      if (!in_.raw(text)) return false;
      if (key != table.tag() && !is_known(known, key)) members.key(key).put(text);
    }
  }
  if (in_.failed()) return false;
  unknown.payload = Json::from_valid(payload.str());
  return true;
}

bool Decoder::read_untagged(const Union& table, void* value, const Known* known) {
  in_.peek();
  const Mark start = mark();
  if (table.exclusive) {
    // As upstream: the arm is chosen by which required members are there, and exactly one must be.
    int found = -1;
    std::string names;
    int matches = 0;
    for (std::size_t i = 0; i < table.arms.size(); ++i) {
      const Field& needed = table.arms[i].type->object->fields[0];
      names += (names.empty() ? "" : " or ") + std::string(needed.name());
      Tag tag;
      if (!find_tag(needed.name(), true, tag)) return false;
      if (tag.kind == Tag::absent) continue;
      ++matches;
      found = static_cast<int>(i);
    }
    if (matches != 1)
      return in_.mismatch(start.at, "exactly one of " + names,
                          matches == 0 ? "none" : std::to_string(matches));
    return read_arm(table, static_cast<std::size_t>(found), value, known);
  }
  // The reason given is that of the arm that came furthest.
  std::optional<DecodeFault> furthest;
  for (std::size_t i = 0; i < table.arms.size(); ++i) {
    if (read_arm(table, i, value, known)) {
      // What was let pass here would be right as the arm that takes anything.
      if (takes_anything(*table.arms.back().type)) reports_.resize(start.reports);
      return true;
    }
    if (in_.fatal()) return false;
    if (!path_noted_) note_path();
    if (!furthest || in_.error().offset > furthest->offset) furthest = in_.error();
    go_back(start);
  }
  in_.mismatch(start.at, "", "");
  in_.error() = std::move(*furthest);
  path_noted_ = true;
  return false;
}

}  // namespace acp::json
