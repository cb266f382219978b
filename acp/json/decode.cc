#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "acp/json/codec.h"
#include "acp/json/format.h"
#include "acp/json/scan.h"

namespace acp::json {
namespace {

bool stands_at(const char* p, const char* end, std::string_view text) {
  return static_cast<std::size_t>(end - p) >= text.size() && scan::same(p, text.data(), text.size());
}

// The field whose name stands here as it would be written, colon and all, from `guess` on and then from the first;
// `count` if there is none. Eight bytes tell most names apart.
std::size_t field_at(const char* p, const char* end, const Field* fields, std::size_t count, std::size_t guess) {
  const auto left = static_cast<std::size_t>(end - p);
  if (left < 8) return count;
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  const auto matches = [&](const Field& field) {
    if ((word & field.head.mask) != field.head.bits) return false;
    const std::size_t size = field.quoted.size();
    return size <= 8 || (left >= size && scan::same(p + 4, field.quoted.data() + 4, size - 4));
  };
  for (std::size_t i = guess; i < count; ++i)
    if (matches(fields[i])) return i;
  for (std::size_t i = 0; i < guess; ++i)
    if (matches(fields[i])) return i;
  return count;
}

// Where we are, as a chain on the stack.
struct PathNode {
  const PathNode* up;
  std::string_view key;  // no data: an index
  std::size_t index = 0;
};

std::string render(const PathNode* node) {
  std::vector<const PathNode*> chain;
  for (; node != nullptr; node = node->up) chain.push_back(node);
  std::string path;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const PathNode& part = **it;
    if (part.key.data() == nullptr) {
      path += "[" + std::to_string(part.index) + "]";
      continue;
    }
    const bool plain = !part.key.empty() && std::all_of(part.key.begin(), part.key.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
    });
    if (plain) {
      if (!path.empty()) path += '.';
      path += part.key;
    } else {
      Writer quoted;
      quoted.string(part.key);
      path += "[" + quoted.str() + "]";
    }
  }
  return path;
}

// Members of the same JSON object that others read: a flat union's owner, a tag; or simply all of them.
struct Known {
  const Object* object;
  std::string_view tag;
  const Known* up;
  bool everything = false;
};

bool has_field(const Object& object, std::string_view key) {
  return std::any_of(object.fields.begin(), object.fields.end(), [&](const Field& f) { return f.name() == key; });
}

bool is_known(const Known* known, std::string_view key) {
  for (; known != nullptr; known = known->up)
    if (known->everything || (known->tag == key && !key.empty()) ||
        (known->object != nullptr && has_field(*known->object, key)))
      return true;
  return false;
}

std::string list(std::span<const std::string_view> values) {
  std::string text;
  for (std::string_view value : values) text += (text.empty() ? "" : ", ") + std::string(value);
  return text;
}

// What should have been there, by its kind.
std::string describe_expected(const Type& type) {
  switch (type.kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::int32:
    case Kind::int64:
    case Kind::uint16:
    case Kind::uint32:
    case Kind::uint64: return "an integer";
    case Kind::number: return "a number";
    case Kind::string:
    case Kind::enumerated:
    case Kind::open_enum: return "a string";
    case Kind::raw: return type.objects_only ? "an object" : "a value";
    case Kind::object:
    case Kind::map: return "an object";
    case Kind::variant: return type.variant->tagged() ? "an object" : "a value";
    case Kind::array: return "an array";
    case Kind::nullable: return describe_expected(*type.element) + " or null";
    case Kind::optional: return describe_expected(*type.element);
  }
  return "a value";
}

// Room for a value whose type is known at run time only.
class Temporary {
 public:
  explicit Temporary(const Type& type)
      : type_(type), room_(std::make_unique_for_overwrite<std::max_align_t[]>(type.size / sizeof(std::max_align_t) + 1)) {
    type_.life->construct(room_.get());
  }
  ~Temporary() { type_.life->destroy(room_.get()); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void* get() { return room_.get(); }

 private:
  const Type& type_;
  std::unique_ptr<std::max_align_t[]> room_;
};

// A short text is made in place: assigning would copy it twice, or call a function that is ready for anything.
void set_string(std::string& value, const char* from, const char* to) {
  const auto size = static_cast<std::size_t>(to - from);
  if (size < 16) {
    std::destroy_at(&value);
    std::construct_at(&value, from, size);
  } else {
    value = std::string(from, size);
  }
}

void reset(const Type& type, void* value) {
  type.life->destroy(value);
  type.life->construct(value);
}

class Decoder {
 public:
  Decoder(std::string_view text, const Options& options)
      : text_(text), in_(text, options.limits), strict_(options.strict), watched_(options.strict || options.report != nullptr) {}

  std::optional<Error> run(const Type& type, void* value, const Options& options) {
    if (in_.failed() || !read(type, value, 0) || !in_.finish()) {
      if (!in_.fatal()) {
        // A text that is no JSON is that first of all, wherever the fault stands.
        Reader all(text_, options.limits);
        if (!all.skip() || !all.finish()) return all.error();
      }
      return in_.error();
    }
    if (options.report)
      for (const Report& report : reports_) options.report(report);
    return std::nullopt;
  }

 private:
  struct Mark {
    const char* at;
    std::size_t depth;
    std::size_t reports;
  };
  Mark mark() const { return {in_.at(), in_.depth(), watched_ ? reports_.size() : 0}; }
  void go_back(const Mark& mark) {
    in_.clear_mismatch();
    in_.rewind(mark.at, mark.depth);
    reports_.resize(mark.reports);
    path_noted_ = false;
  }

  bool read(const Type& type, void* value, Flags flags, const Known* known = nullptr);
  [[gnu::noinline]] bool read_string(const Type& type, std::string& value);
  [[gnu::noinline]] bool read_raw(const Type& type, Json& value);
  [[gnu::noinline]] bool fits_a_choice(const Type& type);
  [[gnu::noinline]] bool read_enumerated(const Type& type, std::uint8_t& value);
  [[gnu::noinline]] bool read_open_enum(const Type& type, OpenEnum& value);
  [[gnu::noinline]] bool read_array(const Type& type, void* value, Flags flags);
  [[gnu::noinline]] bool read_map(const Type& type, void* value);
  [[gnu::noinline]] bool read_nullable(const Type& type, void* value, Flags flags);
  [[gnu::noinline]] bool read_optional(const Type& type, void* value, Flags flags);
  [[gnu::noinline]] bool read_object(const Object& object, void* value, const Known* known);
  bool read_members(const Object& object, void* value, const Known* known, int* tags, const Mark& start, bool first);
  bool read_field(const Field& field, void* value);
  [[gnu::noinline]] bool null_for_default(const Field& field, const Mark& start);
  [[gnu::noinline]] bool recover(const Field& field, void* value, const Mark& start);
  [[gnu::noinline]] bool read_other_member(const Object& object, void* value, const Known* known, int* tags, std::string_view key);
  [[gnu::noinline]] bool read_union(const Union& table, void* value, const Known* known);
  [[gnu::noinline]] bool check_last_tag(const Union& table, std::size_t arm, bool ok, void* value, const Mark& start, const Known* known);
  [[gnu::noinline]] bool read_by_last_tag(const Union& table, void* value, const Known* known);
  [[gnu::noinline]] bool read_untagged(const Union& table, void* value, const Known* known);
  bool read_arm(const Union& table, std::size_t arm, void* value, const Known* known);
  bool read_unknown(const Union& table, void* value, std::string_view tag, const Known* known);

  // What the tag says: the last one if it stands there twice, unless only the first is asked for. The
  // cursor stays at the start of the object.
  struct Tag {
    enum { absent, text, null, other } kind = absent;
    std::string_view text_value;
    std::string unescaped;
    std::string got;  // for messages, if it is no text
  };
  bool find_tag(std::string_view name, bool first_only, Tag& tag);
  bool stands_again(const Mark& value, std::string_view key);
  bool unknown_member(const char* at, std::string_view key);

  template <class Read>
  bool inside(PathNode node, Read read) {
    path_ = &node;
    const bool ok = read();
    if (!ok && !path_noted_) note_path();
    path_ = node.up;
    return ok;
  }
  void note_path() {
    in_.error().path = render(path_);
    path_noted_ = true;
  }
  void report(Report::What what, std::string expected, std::string got) {
    if (watched_) reports_.push_back({what, render(path_), std::move(expected), std::move(got)});
  }
  // Sets back, passes the value over and says so.
  bool tolerate(const Mark& start);

  std::string_view text_;
  Reader in_;
  const bool strict_;
  const bool watched_;
  const PathNode* path_ = nullptr;
  bool path_noted_ = false;
  std::vector<Report> reports_;
};

bool Decoder::tolerate(const Mark& start) {
  Error error = in_.error();
  const bool noted = path_noted_;
  go_back(start);
  if (watched_)
    reports_.push_back({Report::What::tolerated, noted ? std::move(error.path) : render(path_),
                        std::move(error.expected), std::move(error.got)});
  return in_.skip();
}

template <class Int, class Wide>
[[gnu::noinline]] bool read_integer(Reader& in, const Bounds* bounds, void* value) {
  using Range = std::numeric_limits<Int>;
  Wide least = Range::min(), most = Range::max();
  if (bounds != nullptr && bounds->minimum) least = static_cast<Wide>(*bounds->minimum);
  if (bounds != nullptr && bounds->maximum) most = static_cast<Wide>(*bounds->maximum);
  Wide wide = 0;
  if (!in.integer(wide, least, most)) return false;
  *static_cast<Int*>(value) = static_cast<Int>(wide);
  return true;
}

[[gnu::noinline]] bool read_number(Reader& in, const Bounds* bounds, double& value) {
  in.peek();
  const char* start = in.at();
  double number = 0;
  if (!in.number(number)) return false;
  if (bounds != nullptr && bounds->minimum && number < static_cast<double>(*bounds->minimum))
    return in.wrong_value(start, "a number not below " + std::to_string(*bounds->minimum));
  if (bounds != nullptr && bounds->maximum && number > static_cast<double>(*bounds->maximum))
    return in.wrong_value(start, "a number not above " + std::to_string(*bounds->maximum));
  value = number;
  return true;
}

// Every case is a jump: nothing is kept on the stack here, so none of them is inlined.
bool Decoder::read(const Type& type, void* value, Flags flags, const Known* known) {
  switch (type.kind) {
    case Kind::null: return in_.null();
    case Kind::boolean: return in_.boolean(*static_cast<bool*>(value));
    case Kind::int32: return read_integer<std::int32_t, std::int64_t>(in_, type.bounds, value);
    case Kind::int64: return read_integer<std::int64_t, std::int64_t>(in_, type.bounds, value);
    case Kind::uint16: return read_integer<std::uint16_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::uint32: return read_integer<std::uint32_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::uint64: return read_integer<std::uint64_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::number: return read_number(in_, type.bounds, *static_cast<double*>(value));
    case Kind::string: return read_string(type, *static_cast<std::string*>(value));
    case Kind::raw: return read_raw(type, *static_cast<Json*>(value));
    case Kind::enumerated: return read_enumerated(type, *static_cast<std::uint8_t*>(value));
    case Kind::open_enum: return read_open_enum(type, *static_cast<OpenEnum*>(value));
    case Kind::object: return read_object(*type.object, value, known);
    case Kind::variant: return read_union(*type.variant, value, known);
    case Kind::array: return read_array(type, value, flags);
    case Kind::map: return read_map(type, value);
    case Kind::nullable: return read_nullable(type, value, flags);
    case Kind::optional: return read_optional(type, value, flags);
  }
  return false;
}

bool Decoder::read_optional(const Type& type, void* value, Flags flags) {
  return read(*type.element, type.optional->engage(value), flags);
}

bool Decoder::read_nullable(const Type& type, void* value, Flags flags) {
  if (in_.peek() == ValueKind::null) {
    type.nullable->set_null(value);
    return in_.null();
  }
  return read(*type.element, type.nullable->engage(value), flags);
}

bool Decoder::read_string(const Type& type, std::string& value) {
  if (type.bounds == nullptr) return in_.string(value);
  in_.peek();
  const char* start = in_.at();
  if (!in_.string(value)) return false;
  if (type.bounds->min_length > 0 && value.size() < type.bounds->min_length)
    return in_.wrong_value(start, "at least " + std::to_string(type.bounds->min_length) + " character" +
                                   (type.bounds->min_length == 1 ? "" : "s"));
  if (type.bounds->format != nullptr)
    if (const char* expected = format_mismatch(type.bounds->format, value)) return in_.wrong_value(start, expected);
  return true;
}

bool Decoder::read_raw(const Type& type, Json& value) {
  const ValueKind kind = in_.peek();
  const bool null = type.or_null && kind == ValueKind::null;
  if (type.objects_only && kind != ValueKind::object && kind != ValueKind::none && !null)
    return in_.wrong_kind(in_.at(), type.or_null ? "an object or null" : "an object");
  if (!null && !type.choices.empty() && !fits_a_choice(type)) return false;
  std::string text;
  if (!in_.raw(text)) return false;
  value = Json::from_valid(std::move(text));
  return true;
}

// Is the next value one that a choice of the type reads? Leaves the cursor where it is.
bool Decoder::fits_a_choice(const Type& type) {
  const auto is_any = [](const Type* choice) {
    return choice->kind == Kind::raw && choice->choices.empty() && !choice->objects_only;
  };
  if (std::any_of(type.choices.begin(), type.choices.end(), is_any)) return true;
  const Mark start = mark();
  std::string names;
  for (const Type* choice : type.choices) {
    Temporary room(*choice);
    const bool fits = read(*choice, room.get(), 0);
    if (in_.fatal()) return false;
    go_back(start);
    if (fits) return true;
    names += (names.empty() ? "" : " or ") + std::string(choice->name);
  }
  return in_.wrong_kind(start.at, names);
}

// Which of the listed words stands here in quotes, as it is? The first one that does, or `count`.
template <class Word>
std::size_t listed(const char* p, const char* end, std::size_t count, Word word) {
  if (end - p < 2 || *p != '"') return count;
  const auto left = static_cast<std::size_t>(end - p - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = word(i);
    const std::size_t size = text.size();
    // The quote first: it tells most words apart. An arm without a tag has an empty one.
    if (size != 0 && size < left && p[1 + size] == '"' && std::memcmp(p + 1, text.data(), size) == 0) return i;
  }
  return count;
}

bool Decoder::read_enumerated(const Type& type, std::uint8_t& value) {
  in_.peek();
  const char* start = in_.at();
  std::size_t i = listed(start, in_.end(), type.values.size(), [&](std::size_t n) { return type.values[n]; });
  if (i < type.values.size()) {
    in_.move_to(start + type.values[i].size() + 2);
  } else {
    std::string_view text;
    if (!in_.text(text)) return false;
    i = static_cast<std::size_t>(std::find(type.values.begin(), type.values.end(), text) - type.values.begin());
    if (i == type.values.size())
      return in_.wrong_value(start, (type.values.size() == 1 ? "" : "one of ") + list(type.values));
  }
  value = static_cast<std::uint8_t>(i);
  return true;
}

bool Decoder::read_open_enum(const Type& type, OpenEnum& value) {
  in_.peek();
  const char* start = in_.at();
  std::string_view text;
  if (!in_.text(text)) return false;
  for (std::size_t i = 0; i < type.values.size(); ++i) {
    if (type.values[i] != text) continue;
    value.index = static_cast<std::uint8_t>(i);
    return true;
  }
  const bool private_use = text.starts_with('_');
  value.index = OpenEnum::not_listed;
  value.unlisted = text;
  if (private_use || !watched_) return true;
  const std::string expected = "one of " + list(type.values) + ", or a name that begins with _";
  if (strict_) return in_.wrong_value(start, expected);
  report(Report::What::unknown_tag, expected, in_.found(start));
  return true;
}

bool Decoder::read_array(const Type& type, void* value, Flags flags) {
  in_.peek();
  const char* begin = in_.at();
  if (!in_.begin_array()) return false;
  bool first = true;
  std::size_t index = 0;
  for (; in_.next_element(first); ++index) {
    in_.peek();
    const Mark start = mark();
    const bool ok = inside({path_, {}, index}, [&] {
      void* element = type.array->append(value);
      if (read(*type.element, element, 0)) return true;
      if (in_.fatal() || strict_ || (flags & skip_invalid_items) == 0) return false;
      type.array->pop(value);
      return tolerate(start);
    });
    if (!ok) return false;
  }
  if (in_.failed()) return false;
  if (type.bounds != nullptr && index < type.bounds->min_items)
    return in_.mismatch(begin, "at least " + std::to_string(type.bounds->min_items) + " item" +
                                   (type.bounds->min_items == 1 ? "" : "s"),
                        index == 0 ? "none" : std::to_string(index));
  return true;
}

bool Decoder::read_map(const Type& type, void* value) {
  if (!in_.begin_object()) return false;
  bool first = true;
  std::string_view next;
  while (in_.next_key(first, next)) {
    const std::string key(next);
    in_.peek();
    const Mark start = mark();
    const bool ok = inside({path_, key}, [&] {
      void* member = type.map->at(value, key);
      reset(*type.element, member);
      if (read(*type.element, member, 0)) return true;
      if (in_.fatal() || !stands_again(start, key)) return false;
      go_back(start);
      return in_.skip();
    });
    if (!ok) return false;
  }
  return !in_.failed();
}

// Of the member whose value starts at `value`: does its name stand in the same object once more? Then, as
// in JavaScript, this value does not count. Leaves the cursor and the failure as they are.
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
    report(Report::What::unknown_member, "no member of this name", in_.found(at));
    return true;
  });
}

bool Decoder::read_field(const Field& field, void* value) {
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
    report(Report::What::tolerated, "an array or object", "null");
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
    report(Report::What::tolerated, "an object", "null");
    return in_.null();
  }
  const Mark start = mark();
  if (!(kind == ValueKind::object && in_.enter()) && !in_.begin_object()) return false;
  return read_members(object, value, known, nullptr, start, true);
}

// The object began at `start`; `first` tells whether its first member is still to come. `tags`, where given,
// counts how often the tag that `known` names was met.
bool Decoder::read_members(const Object& object, void* value, const Known* known, int* tags, const Mark& start,
                           bool first) {
  const Field* const fields = object.fields.data();
  const std::size_t count = object.fields.size();
  const char* const end = in_.end();
  const char* p = in_.at();  // the cursor: in a register as long as nobody else reads
  std::uint64_t seen = 0;
  // Most peers write compact JSON, members in the order of the schema: try the next ones as they would be
  // written, then those before, before reading a name in full.
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
    return inside({path_, field.name()},
                  [&] { return in_.mismatch(start.at, describe_expected(*field.type), "nothing"); });
  }
  if (object.flat == nullptr) return true;
  in_.rewind(start.at, start.depth);
  const Known outer{&object, {}, known};
  return read_union(*object.flat, static_cast<char*>(value) + object.flat_offset, &outer);
}

// A member that is none of the object's fields. The cursor is behind its colon.
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
    tag.kind = kind == ValueKind::string ? Tag::text : kind == ValueKind::null ? Tag::null : Tag::other;
    if (kind == ValueKind::string) {
      if (!in_.text(tag.text_value)) return false;
      if (tag.text_value.data() != at + 1) {  // not a piece of the text: it lives until the next key only
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

// An arm that is read in one pass over its members.
bool is_plain(const Type& type) {
  return type.kind == Kind::object && !type.object->null_is_empty && type.object->flat == nullptr;
}

std::size_t arm_of(const Union& table, std::string_view tag) {
  for (std::size_t i = 0; i < table.arms.size(); ++i)
    if (!table.arms[i].tag.empty() && tag == table.arms[i].tag) return i;
  return table.arms.size();
}

bool Decoder::read_union(const Union& table, void* value, const Known* known) {
  if (!table.tagged()) return read_untagged(table, value, known);
  const ValueKind kind = in_.peek();
  if (kind != ValueKind::object) return kind == ValueKind::none ? in_.begin_object() : in_.wrong_kind(in_.at(), "an object");
  const Mark start = mark();
  const Known with_tag{nullptr, table.tag(), known};

  // The tag is the first member of what most peers write. Trust it, and look for a second one only if it was
  // met, or could explain a failure.
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
  return in_.fatal() || (ok && tags == 1) ? ok : check_last_tag(table, arm, ok, value, start, known);
}

// The value was read as this arm, or failed as that; does its last tag say so?
bool Decoder::check_last_tag(const Union& table, std::size_t arm, bool ok, void* value, const Mark& start,
                             const Known* known) {
  Tag tag;
  Reader after = in_;
  const bool noted = path_noted_;
  std::vector<Report> reports = reports_;
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
        report(Report::What::tolerated, "a string or null", tag.got);
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

bool Decoder::read_unknown(const Union& table, void* value, std::string_view tag, const Known* known) {
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
        report(Report::What::unknown_tag, expected, "the string " + quoted.str());
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
  auto& unknown = *static_cast<Unknown*>(table.ops->emplace(value, static_cast<std::size_t>(table.unknown)));
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
      return in_.mismatch(start.at, "exactly one of " + names, matches == 0 ? "none" : std::to_string(matches));
    return read_arm(table, static_cast<std::size_t>(found), value, known);
  }
  // The reason given is that of the arm that came furthest.
  std::optional<Error> furthest;
  for (std::size_t i = 0; i < table.arms.size(); ++i) {
    if (read_arm(table, i, value, known)) return true;
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

}  // namespace

std::optional<Error> decode(std::string_view text, const Type& type, void* value, const Options& options) {
  return Decoder(text, options).run(type, value, options);
}

}  // namespace acp::json
