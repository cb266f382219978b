// Random values of every definition: decode, encode, decode; and every tolerance mark.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "acp/json/codec.h"
#include "acp/schema/registry.h"
#include "acp/schema/testing/random_value.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::schema_test {
namespace {

using json::Kind;
using json::Type;

struct Value {
  explicit Value(const Type& t)
      : type(t), room(new std::max_align_t[t.size / sizeof(std::max_align_t) + 1]) {
    type.life->construct(room.get());
  }
  ~Value() { type.life->destroy(room.get()); }
  std::optional<json::DecodeFault> read(std::string_view text, const json::Options& options = {}) {
    return json::decode(text, type, room.get(), options);
  }
  std::string write() const {
    json::Writer out;
    json::write(out, type, room.get());
    return out.str();
  }
  const Type& type;
  std::unique_ptr<std::max_align_t[]> room;
};

struct Version {
  const char* name;
  std::span<const Definition> definitions;
  Tree schema;
};

std::vector<Version> versions() {
  std::vector<Version> all;
  all.push_back({"v1", v1::definitions(), read_schema("v1/schema.unstable.json")});
  all.push_back({"v2", v2::definitions(), read_schema("v2/schema.unstable.json")});
  return all;
}

// Whether all that `in` says stands in `out` too. What no schema knows (`zz_…`) may be gone, and so
// may an empty list, an empty map and a tag that is null; defaults may have come in addition.
std::string lost(const Tree& in, const Tree& out, const std::string& path) {
  if (in.kind != out.kind) return path;
  if (in.kind == json::ValueKind::array) {
    if (in.elements.size() != out.elements.size()) return path;
    for (std::size_t i = 0; i < in.elements.size(); ++i)
      if (auto where = lost(in.elements[i], out.elements[i], path + "[" + std::to_string(i) + "]");
          !where.empty())
        return where;
    return "";
  }
  if (in.kind == json::ValueKind::object) {
    for (const auto& [key, member] : in.members) {
      if (key.starts_with("zz_")) continue;
      const bool empty =
          (member.kind == json::ValueKind::array || member.kind == json::ValueKind::object) &&
          member.elements.empty() && member.members.empty();
      const Tree* other = out.get(key);
      if (other == nullptr &&
          (empty || (key == "stopReason" && member.kind == json::ValueKind::null) ||
           member.text == "false"))
        continue;
      if (other == nullptr) return path + "." + key;
      if (auto where = lost(member, *other, path + "." + key); !where.empty()) return where;
    }
    return "";
  }
  return Json::from_valid(in.text) == Json::from_valid(out.text) ? "" : path;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int share = 6;  // of the values: they take so much longer
#else
constexpr int share = 1;
#endif

void round_trip(const Version& version, const char* what, Draw draw, int values, bool strict_too) {
  int count = 0;
  RandomValue random(version.schema, 20261115);
  for (const Definition& definition : version.definitions) {
    for (int i = 0; i < values / share; ++i) {
      const Tree drawn = random.of(definition.name, draw);
      const std::string text = drawn.json();
      Value first(*definition.type), second(*definition.type);
      auto error = first.read(text);
      ASSERT_FALSE(error) << definition.name << " " << text << "\n" << error->message();
      const std::string written = first.write();
      error = second.read(written);
      ASSERT_FALSE(error) << definition.name << " " << written << "\n" << error->message();
      ASSERT_TRUE(json::equal(*definition.type, first.room.get(), second.room.get()))
          << definition.name << " " << text;
      ASSERT_EQ(second.write(), written);
      const std::string gone =
          lost(drawn, Tree::from(Json::parse(written).value()), definition.name);
      ASSERT_EQ(gone, "") << text << "\n" << written;
      if (strict_too) {
        Value strict(*definition.type);
        error = strict.read(text, {.strict = true});
        ASSERT_FALSE(error) << definition.name << " " << text << "\n" << error->message();
      }
      ++count;
    }
  }
  std::printf("%s: %d values %s, of %zu definitions\n", version.name, count, what,
              version.definitions.size());
}

TEST(RoundTrip, ValuesOfEveryDefinition) {
  for (const Version& version : versions()) {
    round_trip(version, "as the schema has them", {}, 60, true);
    round_trip(version, "with _meta at every level", {.always_meta = true}, 20, true);
    round_trip(version, "with unknown members", {.unknown_members = true}, 30, false);
    round_trip(version, "with unknown tags", {.unknown_tags = true}, 30, false);
    round_trip(version, "with all of it",
               {.unknown_members = true, .unknown_tags = true, .always_meta = true}, 30, false);
  }
}

// A value that no field of this type can take; empty if the type takes everything.
std::string malformed(const Type& type) {
  switch (type.kind) {
    case Kind::raw:
      if (type.objects_only) return "[1]";
      return "";
    case Kind::nullable:
    case Kind::optional:
      return malformed(*type.element);
    case Kind::variant:
      // Of those that are untagged, some take anything.
      for (const json::Arm& arm : type.variant->arms)
        if (arm.type != nullptr && malformed(*arm.type).empty()) return "";
      return "[[[1]]]";
    case Kind::array:  // not an array of bad items: those may be skipped
    case Kind::map:
      return "7";
    default:
      return "[[[1]]]";
  }
}

class Tolerance {
 public:
  explicit Tolerance(const Version& version) : version_(version), random_(version.schema, 7) {}

  void run() {
    for (const Definition& definition : version_.definitions) {
      if (definition.alias_of != nullptr) continue;
      if (definition.type->kind == Kind::object) fields(definition, *definition.type);
      const json::Union* table = definition.type->kind == Kind::variant ? definition.type->variant
                                 : definition.type->kind == Kind::object
                                     ? definition.type->object->flat
                                     : nullptr;
      // Arms written in place have fields of their own.
      if (table != nullptr)
        for (const json::Arm& arm : table->arms)
          if (arm.type != nullptr && arm.type->kind == Kind::object && *arm.type->name == '\0')
            in_place(definition, *table, arm);
    }
    std::printf(
        "%s: marks tried: %d default-on-error (and %d on fields that take anything), %d "
        "skip-invalid-items, "
        "%d default-on-null\n",
        version_.name, on_error, any, items, on_null);
  }

  int on_error = 0, any = 0, items = 0, on_null = 0;

 private:
  void fields(const Definition& definition, const Type& type) {
    for (const json::Field& field : type.object->fields)
      try_marks(definition, field, [&] { return random_.of(definition.name); });
  }

  void in_place(const Definition& definition, const json::Union& table, const json::Arm& arm) {
    for (const json::Field& field : arm.type->object->fields)
      try_marks(definition, field, [&] {
        for (;;) {
          Tree drawn = random_.of(definition.name);
          if (!arm.tag.empty() && drawn.str(table.tag()) == arm.tag) return drawn;
          if (arm.tag.empty() && drawn.has(arm.type->object->fields[0].name())) return drawn;
        }
      });
  }

  template <class Make>
  void try_marks(const Definition& definition, const json::Field& field, Make make) {
    const std::string name(field.name());
    if (field.is(json::default_on_error)) {
      const std::string bad = malformed(*field.type);
      if (bad.empty())
        ++any;
      else
        ++on_error, expect_default(definition, field, make(), bad);
    }
    if (field.is(json::default_on_null))
      ++on_null, expect_default(definition, field, make(), "null");
    if (field.is(json::skip_invalid_items)) ++items, expect_skipped(definition, field, make());
  }

  static Tree with(Tree object, const std::string& key, const std::string& value) {
    const Tree parsed = Tree::from(Json::parse(value).value());
    if (Tree* old = object.get(key))
      *old = parsed;
    else
      object.members.push_back({std::string(key), parsed});
    return object;
  }

  // The bad value counts as if it were not there (or, where the member is required, as its empty
  // value).
  void expect_default(const Definition& definition, const json::Field& field, const Tree& drawn,
                      const std::string& bad) {
    const std::string name(field.name());
    const std::string text = with(drawn, name, bad).json();
    Value value(*definition.type), same(*definition.type), strict(*definition.type);
    std::vector<std::string> reported;
    json::Options options;
    options.report = [&](const json::DecodeReport& report) {
      if (report.what == json::DecodeReport::What::tolerated) reported.push_back(report.path);
    };
    auto error = value.read(text, options);
    ASSERT_FALSE(error) << definition.name << "." << name << ": " << error->message() << "\n"
                        << text;
    ASSERT_EQ(reported.size(), 1u) << text;
    EXPECT_TRUE(reported[0].starts_with(name)) << reported[0];

    Tree without = drawn;
    without.remove(name);
    const bool list = field.type->kind == Kind::array;
    if (field.is(json::required)) without = with(without, name, list ? "[]" : "{}");
    error = same.read(without.json());
    ASSERT_FALSE(error) << definition.name << ": " << without.json() << error->message();
    EXPECT_TRUE(json::equal(*definition.type, value.room.get(), same.room.get())) << text;

    error = strict.read(text, {.strict = true});
    ASSERT_TRUE(error) << text;
    EXPECT_TRUE(error->path.starts_with(name)) << error->path;
    if (!field.is(json::required)) return;
    Value missing(*definition.type);
    without.remove(name);
    EXPECT_TRUE(missing.read(without.json())) << "a required member must be there, tolerant or not";
  }

  void expect_skipped(const Definition& definition, const json::Field& field, const Tree& drawn) {
    const std::string name(field.name());
    const Type& array = field.type->kind == Kind::nullable ? *field.type->element : *field.type;
    const Value good_item(*array.element);
    std::string good = "\"user\"";
    if (array.element->kind != Kind::enumerated && array.element->kind != Kind::open_enum) {
      // Any valid item will do: the one that a new object writes may miss required things, so draw
      // it.
      good = *array.element->name != '\0' ? random_.of(array.element->name).json() : "\"text\"";
    } else {
      good = Json(array.element->values[0]).text();
    }
    const std::string bad = malformed(*array.element);
    ASSERT_FALSE(bad.empty()) << definition.name << "." << name;
    Value value(*definition.type), expected(*definition.type), strict(*definition.type);
    const std::string text = with(drawn, name, "[" + good + "," + bad + "," + good + "]").json();
    auto error = value.read(text);
    ASSERT_FALSE(error) << definition.name << "." << name << ": " << error->message() << "\n"
                        << text;
    error = expected.read(with(drawn, name, "[" + good + "," + good + "]").json());
    ASSERT_FALSE(error) << definition.name << "." << name << ": " << error->message();
    EXPECT_TRUE(json::equal(*definition.type, value.room.get(), expected.room.get())) << text;
    error = strict.read(text, {.strict = true});
    ASSERT_TRUE(error) << text;
    EXPECT_TRUE(error->path.starts_with(name + "[1]")) << error->path;
  }

  const Version& version_;
  RandomValue random_;
};

int marks(const Tree& node, const char* mark) {
  int count = node.is_true(mark) ? 1 : 0;
  for (const auto& [key, member] : node.members) count += marks(member, mark);
  for (const Tree& element : node.elements) count += marks(element, mark);
  return count;
}

TEST(Tolerance, EveryMarkDoesWhatItSays) {
  for (const Version& version : versions()) {
    Tolerance tolerance(version);
    tolerance.run();
    // One more stands on a union's tag: IdleStateUpdate.stopReason.
    EXPECT_EQ(tolerance.on_error + tolerance.any + 1,
              marks(version.schema, "x-deserialize-default-on-error"));
    EXPECT_EQ(tolerance.items, marks(version.schema, "x-deserialize-skip-invalid-items"));
    EXPECT_EQ(tolerance.on_null, marks(version.schema, "x-deserialize-default-on-null"));
  }
}

TEST(Tolerance, AnOptionalTagThatIsNoStringCountsAsAbsent) {
  for (const Version& version : versions()) {
    const Type& type = *find_definition(version.definitions, "IdleStateUpdate")->type;
    Value odd(type), none(type), strict(type);
    EXPECT_FALSE(odd.read("{\"stopReason\":5}"));
    EXPECT_FALSE(none.read("{}"));
    EXPECT_TRUE(json::equal(type, odd.room.get(), none.room.get()));
    const auto error = strict.read("{\"stopReason\":5}", {.strict = true});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message(), "stopReason: expected a string or null, got the number 5");
  }
}

}  // namespace
}  // namespace acp::schema_test
