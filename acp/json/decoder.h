// Reads one value through its table. The parts of it are in decode.cc, decode_object.cc and
// decode_union.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/json/codec.h"
#include "acp/json/path.h"
#include "acp/json/reader.h"

namespace acp::json {

// Members of the same JSON object that others read: a flat union's owner, a tag; or simply all of
// them.
struct Known {
  const Object* object;
  std::string_view tag;
  const Known* up;
  bool everything = false;
};

bool is_known(const Known* known, std::string_view key);

// Hidden, so that its functions may be inlined in a library that others are linked with.
class [[gnu::visibility("hidden")]] Decoder {
 public:
  Decoder(std::string_view text, const Options& options)
      : text_(text),
        in_(text, options.limits),
        strict_(options.strict),
        watched_(options.strict || options.report != nullptr) {}

  std::optional<DecodeFault> run(const Type& type, void* value, const Options& options);
  // One value, whatever follows it; null if it does not fit, else where it ends.
  const char* run_prefix(const Type& type, void* value) {
    return !in_.failed() && read(type, value, 0) ? in_.at() : nullptr;
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
  bool read_members(const Object& object, void* value, const Known* known, int* tags,
                    const Mark& start, bool first);
  bool read_field(const Field& field, void* value);
  [[gnu::noinline]] bool null_for_default(const Field& field, const Mark& start);
  [[gnu::noinline]] bool recover(const Field& field, void* value, const Mark& start);
  [[gnu::noinline]] bool read_other_member(const Object& object, void* value, const Known* known,
                                           int* tags, std::string_view key);
  [[gnu::noinline]] bool read_union(const Union& table, void* value, const Known* known);
  [[gnu::noinline]] bool check_last_tag(const Union& table, std::size_t arm, bool ok, void* value,
                                        const Mark& start, const Known* known);
  [[gnu::noinline]] bool read_by_last_tag(const Union& table, void* value, const Known* known);
  [[gnu::noinline]] bool read_untagged(const Union& table, void* value, const Known* known);
  bool read_arm(const Union& table, std::size_t arm, void* value, const Known* known);
  bool read_unknown(const Union& table, void* value, std::string_view tag, const Known* known);

  // What the tag says: the last one if it stands there twice, unless only the first is asked for.
  // The cursor stays at the start of the object.
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
  void report(DecodeReport::What what, std::string expected, std::string got) {
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
  std::vector<DecodeReport> reports_;
};

}  // namespace acp::json
