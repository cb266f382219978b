// Members of objects: what reads the text of most messages, so the cursor stays in a register
// there.
#include <algorithm>
#include <bit>
#include <memory>

#include "acp/json/decoder.h"
#include "acp/json/match.h"
#include "acp/json/scan.h"
#include "acp/json/temporary.h"

namespace acp::json {
namespace {

bool has_field(const Object& object, std::string_view key) {
  return std::any_of(object.fields.begin(), object.fields.end(),
                     [&](const Field& f) { return f.name() == key; });
}

// What should have been there, by its kind.
std::string describe_expected(const Type& type) {
  switch (type.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::int32:
    case Kind::int64:
    case Kind::uint16:
    case Kind::uint32:
    case Kind::uint64:
      return "an integer";
    case Kind::number:
      return "a number";
    case Kind::string:
    case Kind::enumerated:
    case Kind::open_enum:
      return "a string";
    case Kind::raw:
      return type.objects_only ? "an object" : "a value";
    case Kind::object:
    case Kind::map:
      return "an object";
    case Kind::variant:
      return type.variant->tagged() ? "an object" : "a value";
    case Kind::array:
      return "an array";
    case Kind::nullable:
      return describe_expected(*type.element) + " or null";
    case Kind::optional:
      return describe_expected(*type.element);
  }
  return "a value";
}

// A short text is made in place: assigning would copy it twice, or call a function that is ready
// for anything.
void set_string(std::string& value, const char* from, const char* to) {
  const auto size = static_cast<std::size_t>(to - from);
  if (size < 16) {
    std::destroy_at(&value);
    std::construct_at(&value, from, size);
  } else {
    value = std::string(from, size);
  }
}

}  // namespace

bool is_known(const Known* known, std::string_view key) {
  for (; known != nullptr; known = known->up)
    if (known->everything || (known->tag == key && !key.empty()) ||
        (known->object != nullptr && has_field(*known->object, key)))
      return true;
  return false;
}

// Of the member whose value starts at `value`: does its name stand in the same object once more?
// Then, as in JavaScript, this value does not count. Leaves the cursor and the failure as they are.
bool Decoder::stands_again(const Mark& value, std::string_view key) {
  Reader ahead = in_;
  ahead.clear_mismatch();
  ahead.rewind(value.at, value.depth);
  bool first = false;
  std::string_view next;
  if (!ahead.skip()) return false;
  while (ahead.next_key(first, next)) {
    if (next == key) return true;
    if (!ahead.skip()) return false;
  }
  return false;
}

bool Decoder::unknown_member(const char* at, std::string_view key) {
  return inside({path_, key}, [&] {
    if (strict_) return in_.wrong_kind(at, "no member of this name");
    report(DecodeReport::What::unknown_member, "no member of this name", in_.found(at));
    return true;
  });
}

inline bool Decoder::read_field(const Field& field, void* value) {
  PathNode node{path_, field.name()};
  path_ = &node;
  const Mark start = mark();
  const bool null = field.is(default_on_null) && in_.peek() == ValueKind::null;
  const bool ok = null ? null_for_default(field, start)
                       : read(*field.type, value, field.flags) || recover(field, value, start);
  if (!ok && !path_noted_) note_path();
  path_ = node.up;
  return ok;
}

bool Decoder::null_for_default(const Field& field, const Mark& start) {
  if (watched_ && !stands_again(start, field.name())) {
    if (strict_) return in_.wrong_kind(in_.at(), "an array or object");
    report(DecodeReport::What::tolerated, "an array or object", "null");
  }
  return in_.null();
}

// After a failure: does the value matter? If not, past it.
bool Decoder::recover(const Field& field, void* value, const Mark& start) {
  if (in_.fatal()) return false;
  if (stands_again(start, field.name())) {
    go_back(start);
    reset(*field.type, value);
    return in_.skip();
  }
  if (!field.is(default_on_error) || strict_) return false;
  reset(*field.type, value);
  return tolerate(start);
}

bool Decoder::read_object(const Object& object, void* value, const Known* known) {
  const ValueKind kind = in_.peek();
  if (kind == ValueKind::null && object.null_is_empty) {
    if (strict_) return in_.wrong_kind(in_.at(), "an object");
    report(DecodeReport::What::tolerated, "an object", "null");
    return in_.null();
  }
  const Mark start = mark();
  if (!(kind == ValueKind::object && in_.enter()) && !in_.begin_object()) return false;
  return read_members(object, value, known, nullptr, start, true);
}

// The object began at `start`; `first` tells whether its first member is still to come. `tags`,
// where given, counts how often the tag that `known` names was met.
bool Decoder::read_members(const Object& object, void* value, const Known* known, int* tags,
                           const Mark& start, bool first) {
  const Field* const fields = object.fields.data();
  const std::size_t count = object.fields.size();
  const char* const end = in_.end();
  const char* p = in_.at();  // the cursor: in a register as long as nobody else reads
  std::uint64_t seen = 0;
  // Most peers write compact JSON, members in the order of the schema: try the next ones as they
  // would be written, then those before, before reading a name in full.
  std::size_t guess = 0;
  for (;;) {
    if (p < end && *p == '}') {
      in_.end_object(p);
      break;
    }
    const char* name = first ? p : p < end && *p == ',' ? p + 1 : end;
    std::size_t i = field_at(name, end, fields, count, guess);
    if (i < count) {
      first = false;
      p = name + fields[i].quoted.size();
    } else {
      in_.move_to(p);
      std::string_view key;
      if (!in_.next_key(first, key)) break;
      for (i = 0; i < count; ++i)
        if (fields[i].name() == key) break;
      if (i == count) {
        if (!read_other_member(object, value, known, tags, key)) return false;
        p = in_.at();
        continue;
      }
      p = in_.at();
    }
    const Field& field = fields[i];
    void* const member = static_cast<char*>(value) + field.offset;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((seen & bit) != 0) reset(*field.type, member);
    seen |= bit;
    guess = i + 1;
    if (field.type->kind == Kind::string && field.type->bounds == nullptr && p < end && *p == '"') {
      const char* close = scan::plain(p + 1, end);
      if (close < end && *close == '"') {
        set_string(*static_cast<std::string*>(member), p + 1, close);
        p = close + 1;
        continue;
      }
    }
    in_.move_to(p);
    if (!read_field(field, member)) return false;
    p = in_.at();
  }
  if (in_.failed()) return false;

  if ((object.needed & ~seen) != 0) {
    const Field& field = fields[std::countr_zero(object.needed & ~seen)];
    return inside({path_, field.name()}, [&] {
      return in_.mismatch(start.at, describe_expected(*field.type), "nothing");
    });
  }
  if (object.flat == nullptr) return true;
  in_.rewind(start.at, start.depth);
  const Known outer{&object, {}, known};
  return read_union(*object.flat, static_cast<char*>(value) + object.flat_offset, &outer);
}

// A member that is none of the object's fields. The cursor is after its colon.
bool Decoder::read_other_member(const Object& object, void* value, const Known* known, int* tags,
                                std::string_view key) {
  if (tags != nullptr && key == known->tag) {
    ++*tags;
  } else if (object.additional) {
    const std::string name(key);
    auto& others = *reinterpret_cast<Map<Json>*>(static_cast<char*>(value) + *object.additional);
    std::string text;
    if (!in_.raw(text)) return false;
    others[name] = Json::from_valid(std::move(text));
    return true;
  } else if (watched_ && object.flat == nullptr && !is_known(known, key)) {
    in_.peek();
    if (!unknown_member(in_.at(), key)) return false;
  }
  return in_.skip();
}

}  // namespace acp::json
