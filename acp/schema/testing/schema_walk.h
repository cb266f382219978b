// Walks an official schema beside our tables, and says where they differ.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "acp/schema/registry.h"
#include "acp/schema/testing/schema_tree.h"

namespace acp::schema_test {

using json::Field;
using json::Kind;
using json::Type;

struct Value {
  explicit Value(const Type& t)
      : type(t), room(new std::max_align_t[t.size / sizeof(std::max_align_t) + 1]) {
    type.life->construct(room.get());
  }
  ~Value() { type.life->destroy(room.get()); }
  const Type& type;
  std::unique_ptr<std::max_align_t[]> room;
};

// Compares one file with one version's tables. Each thing compared is counted; each difference is
// noted.
class Walk {
 public:
  Walk(const Tree& file, const Tree& stable, bool is_stable,
       std::span<const Definition> definitions, std::span<const Method> methods)
      : defs_(*file.get("$defs")),
        stable_(*stable.get("$defs")),
        is_stable_(is_stable),
        definitions_(definitions),
        methods_(methods) {}

  void run() {
    for (const auto& [name, schema] : defs_.members) {
      ++counts["definitions"];
      where_ = name;
      const Definition* definition = find_definition(definitions_, name);
      if (!expect(definition != nullptr, "has no table")) continue;
      expect(definition->unstable == !stable_.has(name), "is marked stable or unstable wrongly");
      check_definition(name, schema, *definition);
      check_method(name, schema);
    }
    for (const Definition& definition : definitions_) {
      where_ = definition.name;
      expect(defs_.has(definition.name) || (is_stable_ && definition.unstable),
             "is not in the schema");
    }
    check_method_table();
  }

  std::map<std::string, int> counts;
  std::vector<std::string> differences;

 private:
  bool expect(bool ok, const std::string& what) {
    if (!ok) differences.push_back(where_ + ": " + what);
    return ok;
  }

  void check_definition(const std::string& name, const Tree& schema, const Definition& definition) {
    const Type& type = *definition.type;
    if (schema.has("allOf")) {
      expect(definition.alias_of != nullptr && reference(schema) == definition.alias_of,
             "is an alias of another type");
      return;
    }
    expect(definition.alias_of == nullptr, "is no alias");
    expect(type.name == name, "has the table of " + std::string(type.name));
    if (schema.str("type") == "object") return check_object(schema, stable_.get(name), type);
    if (!arms(schema).empty()) return check_arms(schema, stable_.get(name), type);
    check_value(schema, type, true);
  }

  // ---- values ----

  static Kind kind_of(const Tree& schema) {
    const std::string kind = schema.str("type"), format = schema.str("format");
    if (kind == "boolean") return Kind::boolean;
    if (kind == "string") return Kind::string;
    if (kind == "null") return Kind::null;
    if (kind == "number") return Kind::number;
    if (kind == "array") return Kind::array;
    if (kind == "integer") {
      if (format == "int32") return Kind::int32;
      if (format == "int64") return Kind::int64;
      if (format == "uint16") return Kind::uint16;
      if (format == "uint32") return Kind::uint32;
      if (format == "uint64") return Kind::uint64;
    }
    return Kind::raw;
  }

  // A schema without null. `named`: it is a definition, whose own name the table carries.
  void check_value(const Tree& schema, const Type& type, bool named = false) {
    ++counts["types"];
    if (const std::string name = reference(schema); !name.empty()) {
      const Definition* definition = find_definition(definitions_, name);
      const std::string expected =
          definition != nullptr && definition->alias_of ? definition->alias_of : name;
      expect(type.name == expected, "should be " + name + ", is " + json::type_name(type));
      return;
    }
    expect(named || *type.name == '\0', "should have no name, is " + std::string(type.name));
    if (schema.has("anyOf")) return check_choices(schema, type);
    check_bounds(schema, type);
    const std::string kind = schema.str("type");
    if (kind.empty()) {
      expect(type.kind == Kind::raw && type.choices.empty() && !type.objects_only,
             "should be any value");
    } else if (kind == "object") {
      const Tree* extra = schema.get("additionalProperties");
      if (extra != nullptr && extra->kind == json::ValueKind::object && !extra->members.empty()) {
        if (expect(type.kind == Kind::map, "should be a map")) check_value(*extra, *type.element);
      } else {
        expect(type.kind == Kind::raw && type.objects_only, "should be any object");
      }
    } else {
      expect(type.kind == kind_of(schema),
             "should be of type " + kind + " " + schema.str("format"));
      if (kind == "array" && type.kind == Kind::array)
        check_value(*schema.get("items"), *type.element);
    }
  }

  // params and results of envelopes: any of these definitions.
  void check_choices(const Tree& schema, const Type& type) {
    if (!expect(type.kind == Kind::raw && !type.choices.empty(), "should be one of several types"))
      return;
    std::set<std::string> expected, actual;
    for (const Tree& arm : schema.get("anyOf")->elements) expected.insert(reference(arm));
    for (const Type* choice : type.choices) {
      for (const Definition& definition : definitions_) {
        if (definition.type != choice) continue;
        if (is_stable_ && definition.unstable && !expected.contains(definition.name)) continue;
        // An alias and what it names share a table.
        if (expected.contains(definition.name) || definition.alias_of == nullptr)
          actual.insert(definition.name);
      }
    }
    for (const std::string& name : expected) expect(actual.contains(name), "lacks " + name);
    for (const std::string& name : actual) {
      const bool by_alias =
          std::any_of(expected.begin(), expected.end(), [&](const std::string& other) {
            const Definition* definition = find_definition(definitions_, other);
            return definition != nullptr && definition->alias_of != nullptr &&
                   name == definition->alias_of;
          });
      expect(expected.contains(name) || by_alias, "has " + name + " too many");
    }
    counts["union arms"] += static_cast<int>(expected.size());
  }

  void check_bounds(const Tree& schema, const Type& type) {
    static const json::Bounds none;
    const json::Bounds& bounds = type.bounds != nullptr ? *type.bounds : none;
    // What the C++ type says by itself.
    std::optional<std::int64_t> least = bounds.minimum, most = bounds.maximum;
    if (!least &&
        (type.kind == Kind::uint16 || type.kind == Kind::uint32 || type.kind == Kind::uint64))
      least = 0;
    if (!most && type.kind == Kind::uint16) most = 65535;
    const auto number = [&](const char* key) -> std::optional<std::int64_t> {
      const Tree* value = schema.get(key);
      if (value == nullptr) return std::nullopt;
      ++counts["bounds"];
      return Json::from_valid(value->text).as_int64();
    };
    expect(number("minimum") == least, "has another minimum");
    expect(number("maximum") == most, "has another maximum");
    expect(number("minLength").value_or(0) == bounds.min_length, "has another minLength");
    expect(number("minItems").value_or(0) == bounds.min_items, "has another minItems");
    if (schema.has("format")) ++counts["formats"];
    if (schema.str("type") == "string")
      expect(schema.str("format") == (bounds.format ? bounds.format : ""), "has another format");
    expect(schema.str("contentEncoding") == (bounds.encoding ? bounds.encoding : ""),
           "has another encoding");
  }

  // ---- objects ----

  static Tree without_null(const Tree& schema, bool& nullable) {
    Tree out = schema;
    nullable = false;
    if (Tree* kinds = out.get("type"); kinds != nullptr && kinds->kind == json::ValueKind::array) {
      const Tree list = *kinds;
      for (const Tree& kind : list.elements) {
        if (kind.str() == "null")
          nullable = true;
        else
          *kinds = kind;
      }
      return out;
    }
    if (Tree* any = out.get("anyOf")) {
      const std::size_t before = any->elements.size();
      std::erase_if(any->elements, [](const Tree& arm) { return arm.str("type") == "null"; });
      nullable = any->elements.size() < before;
      if (nullable && any->elements.size() == 1) return any->elements[0];
    }
    return out;
  }

  void check_object(const Tree& schema, const Tree* stable, const Type& type) {
    if (!expect(type.kind == Kind::object, "should be an object")) return;
    const json::Object& table = *type.object;
    const bool has_union = !arms(schema).empty();
    const std::string tag = has_union ? tag_name(arms(schema)) : "";
    check_properties(schema, stable, type, tag);
    expect(table.additional.has_value() == schema.is_true("additionalProperties"),
           "keeps other members, or does not");
    if (!expect((table.flat != nullptr) == has_union, "has a union among its members, or has none"))
      return;
    if (has_union) check_union(schema, stable, *table.flat);
  }

  void check_properties(const Tree& schema, const Tree* stable, const Type& type,
                        const std::string& tag) {
    const std::string owner = where_;
    static const Tree nothing;
    const Tree* properties = schema.has("properties") ? schema.get("properties") : &nothing;
    const Tree* required = schema.has("required") ? schema.get("required") : &nothing;
    const Tree* stable_properties =
        stable != nullptr && stable->has("properties") ? stable->get("properties") : nullptr;
    const Value fresh(type);
    if (type.object->flat != nullptr && type.object->flat->none >= 0)
      expect(properties->has(tag), "should name its tag among its properties");
    for (const auto& [name, property] : properties->members) {
      where_ = owner + "." + name;
      ++counts["properties"];
      if (name == tag && !tag.empty()) {
        // IdleStateUpdate.stopReason: the tag of its own union, which may be absent or null.
        ++counts["marks"];
        ++counts["nullable"];
        expect(type.object->flat != nullptr && type.object->flat->none >= 0, "should allow no tag");
        bool nullable = false;
        expect(without_null(property, nullable).str("type") == "string" && nullable,
               "should be a string or null");
        expect(property.is_true("x-deserialize-default-on-error"), "should be marked");
        continue;
      }
      const auto found = std::find_if(type.object->fields.begin(), type.object->fields.end(),
                                      [&](const Field& field) { return field.name() == name; });
      if (!expect(found != type.object->fields.end(), "has no field")) continue;
      const bool unstable =
          stable != nullptr && (stable_properties == nullptr || !stable_properties->has(name));
      expect(found->is(json::unstable) == unstable, "is marked stable or unstable wrongly");
      check_field(property, required->lists(name), *found,
                  reinterpret_cast<const char*>(fresh.room.get()));
    }
    for (const Field& field : type.object->fields) {
      where_ = owner + "." + std::string(field.name());
      expect(properties->has(field.name()) || (is_stable_ && field.is(json::unstable)),
             "is not in the schema");
    }
    where_ = owner;
  }

  void check_field(const Tree& property, bool required, const Field& field, const char* fresh) {
    if (required) ++counts["required"];
    expect(field.is(json::required) == required, "is required, or is not");
    const auto mark = [&](const char* name, json::Flags flag) {
      if (property.is_true(name)) ++counts["marks"];
      expect(property.is_true(name) == field.is(flag),
             std::string("carries the mark ") + name + ", or does not");
    };
    mark("x-deserialize-default-on-error", json::default_on_error);
    mark("x-deserialize-skip-invalid-items", json::skip_invalid_items);
    mark("x-deserialize-default-on-null", json::default_on_null);

    bool nullable = false;
    const Tree inner = without_null(property, nullable);
    if (nullable) ++counts["nullable"];
    const Type* type = field.type;
    if (type->kind == Kind::raw) {
      // Json holds null by itself; where only objects may stand, the table says whether null may
      // too.
      if (type->objects_only || !type->choices.empty())
        expect(type->or_null == nullable, "can be null, or cannot");
    } else {
      expect((type->kind == Kind::nullable) == nullable, "can be null, or cannot");
      if (type->kind == Kind::nullable || type->kind == Kind::optional) type = type->element;
    }
    if (nullable && inner.has("anyOf") && type->kind == Kind::variant) {
      // The id of an error: what an id is, or null.
      expect(type->name == std::string("RequestId"), "should be an id");
      check_union(inner, nullptr, *type->variant);
    } else {
      check_value(unwrap(inner), *type);
    }
    check_default(property, field, fresh + field.offset);
  }

  // params: anyOf [anyOf [...], null] leaves an anyOf of one.
  static Tree unwrap(const Tree& schema) {
    const Tree* any = schema.get("anyOf");
    return any != nullptr && any->elements.size() == 1 && any->elements[0].has("anyOf")
               ? any->elements[0]
               : schema;
  }

  // The schema's default, the table's, and what a new C++ object holds are one and the same.
  void check_default(const Tree& property, const Field& field, const void* fresh) {
    const Tree* expected = property.get("default");
    if (!expect((expected != nullptr) == (field.fallback != nullptr), "has a default, or has none"))
      return;
    if (expected == nullptr) return;
    ++counts["defaults"];
    const Value schema_default(*field.type), table_default(*field.type);
    const bool reads = !json::decode(expected->json(), *field.type, schema_default.room.get()) &&
                       !json::decode(field.fallback, *field.type, table_default.room.get());
    expect(reads, "has a default that cannot be read");
    expect(json::equal(*field.type, schema_default.room.get(), table_default.room.get()),
           "has another default");
    expect(json::equal(*field.type, schema_default.room.get(), fresh),
           "is made with another value than its default");
  }

  // ---- enums and unions ----

  void check_arms(const Tree& schema, const Tree* stable, const Type& type) {
    std::set<std::string> values;
    bool strings = true, codes = true, open = false;
    for (const Tree& arm : arms(schema)) {
      strings &= arm.str("type") == "string";
      codes &= arm.str("type") == "integer";
      if (const Tree* value = arm.get("const"))
        values.insert(value->text);
      else
        open = true;
    }
    if ((strings || codes) && !values.empty()) {
      counts["enum values"] += static_cast<int>(values.size());
      std::set<std::string> actual;
      for (std::string_view value : type.values) actual.insert(Json(value).text());
      for (std::int32_t code : type.codes) actual.insert(std::to_string(code));
      expect(values == actual, "has other values");
      expect(codes ? type.kind == Kind::int32 && open : (type.kind == Kind::open_enum) == open,
             "is open, or is not");
      return;
    }
    if (expect(type.kind == Kind::variant, "should be a union"))
      check_union(schema, stable, *type.variant);
  }

  void check_union(const Tree& schema, const Tree* stable, const json::Union& table) {
    const std::string owner = where_;
    const std::string tag = tag_name(arms(schema));
    expect(table.tagged() == !tag.empty() && (tag.empty() || table.tag() == tag),
           "should be told apart by " + tag);
    expect(table.exclusive == (tag.empty() && schema.has("oneOf")),
           "takes exactly one arm, or does not");
    std::vector<bool> met(table.arms.size());
    bool open = false;
    for (const Tree& arm : arms(schema)) {
      ++counts["union arms"];
      const std::string value = tag.empty() ? "" : tag_value(arm, tag);
      where_ = owner + "(" + (value.empty() ? arm.str("title") : value) + ")";
      if (arm.has("not")) {
        open = true;
        check_catch_all(arm, tag, table);
        continue;
      }
      if (!tag.empty() && value.empty() && arm.has("properties") && arm.get("properties")->has(tag))
        expect(arm.get("properties")->get(tag)->str("type") == "null",
               "should be the arm for no tag");
      const std::size_t index = find_arm(arm, tag, value, table, met);
      if (!expect(index < table.arms.size(), "has no arm")) continue;
      met[index] = true;
      if (!value.empty()) ++counts["union tags"];
      const bool was =
          !value.empty() && stable != nullptr &&
          std::any_of(arms(*stable).begin(), arms(*stable).end(),
                      [&](const Tree& other) { return tag_value(other, tag) == value; });
      if (!value.empty() && stable != nullptr)
        expect(((table.arms[index].flags & json::unstable) != 0) == !was,
               "is marked stable or unstable wrongly");
      check_arm(arm, tag, value, *table.arms[index].type);
    }
    where_ = owner;
    expect(table.open == open, "is open, or is not");
    expect((table.unknown >= 0) == !tag.empty(), "keeps unknown tags, or does not");
    for (std::size_t i = 0; i < table.arms.size(); ++i)
      expect(met[i] || table.arms[i].type == nullptr ||
                 (is_stable_ && (table.arms[i].flags & json::unstable) != 0),
             "has the arm " + std::string(table.arms[i].tag) + " too many");
  }

  std::size_t find_arm(const Tree& arm, const std::string& tag, const std::string& value,
                       const json::Union& table, const std::vector<bool>& met) {
    for (std::size_t i = 0; i < table.arms.size(); ++i) {
      const json::Arm& candidate = table.arms[i];
      if (candidate.type == nullptr || met[i] || candidate.tag != value) continue;
      if (!value.empty() || !tag.empty()) {
        // No tag among tagged arms: the one for no tag at all, or the one told by its shape.
        const bool none = arm.has("properties") && arm.get("properties")->has(tag);
        if (value.empty() && static_cast<int>(i) != (none ? table.none : table.fallback)) continue;
      }
      return i;  // arms without tags stand in the order of the schema
    }
    return table.arms.size();
  }

  void check_arm(const Tree& arm, const std::string& tag, const std::string& value,
                 const Type& type) {
    if (arm.has("properties")) expect(arm.str("type") == "object", "should be an object");
    if (!value.empty())
      expect(arm.has("required") && arm.get("required")->lists(tag), "should require its tag");
    if (!reference(arm).empty() || arm.str("type") != "object") return check_value(arm, type);
    // Written in place.
    Tree rest = arm;
    if (Tree* properties = rest.get("properties"))
      std::erase_if(properties->members,
                    [&](const auto& member) { return !tag.empty() && member.name == tag; });
    expect(*type.name == '\0', "should have no name");
    check_object(rest, nullptr, type);
  }

  void check_catch_all(const Tree& arm, const std::string& tag, const json::Union& table) {
    Tree rest = arm;
    Tree* properties = rest.get("properties");
    expect(properties->has(tag) && properties->get(tag)->str("type") == "string",
           "should take any string as tag");
    properties->remove(tag);
    const bool more = !properties->members.empty() || !arms(rest).empty();
    if (!expect((table.unknown_requires != nullptr) == more,
                "asks for more than a tag, or does not") ||
        !more)
      return;
    rest.remove("additionalProperties");
    check_object(rest, nullptr, *table.unknown_requires);
  }

  // ---- methods ----

  void check_method(const std::string& name, const Tree& schema) {
    if (!schema.has("x-method")) return;
    const std::string method = schema.str("x-method"), side = schema.str("x-side");
    method_names_.insert(method);
    const bool response = name.ends_with("Response"), notification = name.ends_with("Notification");
    const Method* found = find_method(methods_, method, notification);
    if (!expect(found != nullptr, "belongs to no listed method")) return;
    const std::string expected_side = side == "protocol" ? "either side" : side;
    expect(to_string(found->side) == expected_side, "is handled by the wrong side");
    expect((response ? found->result_name : found->params_name) == name,
           "is not the method's type");
    const Definition* definition = find_definition(definitions_, name);
    expect((response ? found->result : found->params) == definition->type,
           "has another table than the method's");
    expect(found->unstable == !stable_.has(name), "belongs to a method marked wrongly");
  }

  void check_method_table() {
    for (const Method& method : methods_) {
      where_ = std::string(method.name);
      expect(method_names_.contains(where_) || (is_stable_ && method.unstable),
             "is not in the schema");
    }
    counts["methods"] = static_cast<int>(method_names_.size());
  }

  const Tree& defs_;
  const Tree& stable_;
  bool is_stable_;
  std::span<const Definition> definitions_;
  std::span<const Method> methods_;
  std::string where_;
  std::set<std::string> method_names_;
};

}  // namespace acp::schema_test
