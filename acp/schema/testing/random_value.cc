#include "acp/schema/testing/random_value.h"

namespace acp::schema_test {
namespace {

Tree scalar(const Json& json) { return Tree::from(json); }

Tree empty_object() { return Tree::from(Json::object()); }

void set(Tree& object, const std::string& key, Tree value) {
  if (Tree* old = object.get(key))
    *old = std::move(value);
  else
    object.members.push_back({std::string(key), std::move(value)});
}

}  // namespace

Tree RandomValue::of(const std::string& definition, Draw draw) {
  draw_ = draw;
  return value(*defs_.get(definition), 0);
}

std::string RandomValue::text() {
  static const char* const pieces[] = {"a",    "Z",  "word ", "0",           "/", "\"",
                                       "\\",   "\n", "\t",    "é",           "☃", "😀",
                                       "\x01", "{}", "</x>",  "\xE2\x80\xA8"};
  std::string out;
  for (std::size_t i = below(chance(5) ? 200 : 12); i > 0; --i)
    out += pieces[below(std::size(pieces))];
  return out;
}

Tree RandomValue::anything(int depth) {
  switch (below(depth > 6 ? 5 : 7)) {
    case 0:
      return scalar(nullptr);
    case 1:
      return scalar(chance(50));
    case 2:
      return scalar(static_cast<std::int64_t>(random_()) - 2147483648);
    case 3:
      return scalar(static_cast<double>(random_()) / 1024);
    case 4:
      return scalar(text());
    case 5: {
      Tree list = Tree::from(Json::array());
      for (std::size_t i = below(3); i > 0; --i) list.elements.push_back(anything(depth + 1));
      return list;
    }
    default: {
      Tree out = empty_object();
      for (std::size_t i = below(3); i > 0; --i) set(out, "k" + text(), anything(depth + 1));
      return out;
    }
  }
}

Tree RandomValue::string(const Tree& schema) {
  if (schema.str("format") == "uri")
    return scalar("https://example.com/" + std::to_string(random_() % 100));
  if (schema.str("format") == "date-time")
    return scalar("2026-11-15T10:45:0" + std::to_string(below(10)) + "Z");
  if (schema.str("format") == "regex") return scalar("^[a-z]+$");
  std::string out = text();
  if (schema.has("minLength") && out.empty()) out = "x";
  return scalar(out);
}

Tree RandomValue::number(const Tree& schema) {
  const std::string format = schema.str("format");
  const bool low = schema.has("minimum");
  if (schema.str("type") == "number" || format == "double")
    return schema.has("maximum") ? scalar(static_cast<double>(below(1001)) / 1000)
                                 : scalar((static_cast<double>(random_()) - 1e9) / 64);
  const std::int64_t least = low ? *Json::from_valid(schema.get("minimum")->text).as_int64() : -5;
  switch (below(4)) {
    case 0:
      return scalar(least + static_cast<std::int64_t>(below(50)));
    case 1:
      if (format == "uint64") return scalar(~std::uint64_t{0} - below(2));
      if (format == "int64") return scalar(chance(50) ? INT64_MAX : INT64_MIN);
      if (format == "uint32") return scalar(UINT32_MAX);
      if (format == "int32") return scalar(chance(50) ? INT32_MAX : INT32_MIN);
      return scalar(65535);
    case 2:
      return scalar(least);
    default:
      return scalar(least + static_cast<std::int64_t>(below(60000)));
  }
}

void RandomValue::add_properties(const Tree& schema, Tree& out, int depth) {
  const Tree* properties = schema.get("properties");
  if (properties == nullptr) return;
  const Tree* required = schema.get("required");
  for (const auto& [name, property] : properties->members) {
    const bool needed = required != nullptr && required->lists(name);
    const bool meta = name == "_meta" && draw_.always_meta;
    // Deep down only what must be there.
    if (!needed && !meta && !chance(depth > 8 ? 5 : 60)) continue;
    set(out, name,
        meta ? Tree::from(Json::object({{"trace", text()}})) : value(property, depth + 1));
  }
}

void RandomValue::add_arm(const Tree& schema, Tree& out, int depth) {
  const auto& list = arms(schema);
  if (list.empty()) return;
  const std::string tag = tag_name(list);
  const Tree& arm = list[below(list.size())];
  if (!tag.empty() && draw_.unknown_tags && chance(30)) {
    bool open = false;
    const Tree* catch_all = nullptr;
    for (const Tree& other : list)
      if (other.has("not")) open = true, catch_all = &other;
    if (open) {
      add_properties(*catch_all, out, depth);
      add_arm(*catch_all, out, depth);
    }
    set(out, tag, scalar("future_thing"));
    set(out, "payload", anything(depth + 1));
    return;
  }
  if (const std::string name = reference(arm); !name.empty()) {
    const Tree inner = value(*defs_.get(name), depth + 1);
    for (const auto& [key, member] : inner.members) set(out, key, member);
  }
  add_properties(arm, out, depth);
  add_arm(arm, out, depth);
  if (arm.has("not")) {
    set(out, tag, scalar("_custom"));
    if (chance(50)) set(out, "payload", anything(depth + 1));
  }
  // The arm for no tag: none, or null.
  if (!tag.empty() && tag_value(arm, tag).empty() && !arm.has("not") && arm.has("properties") &&
      arm.get("properties")->has(tag)) {
    out.remove(tag);
    if (chance(50)) set(out, tag, scalar(nullptr));
  }
}

Tree RandomValue::object(const Tree& schema, int depth) {
  Tree out = empty_object();
  add_properties(schema, out, depth);
  // After the properties: where a tag is one of them, the arm knows its value.
  add_arm(schema, out, depth);
  if (draw_.unknown_members && chance(50))
    set(out, "zz_" + std::to_string(below(100)), anything(depth + 1));
  return out;
}

Tree RandomValue::value(const Tree& schema, int depth) {
  if (const std::string name = reference(schema); !name.empty())
    return value(*defs_.get(name), depth);
  if (const Tree* constant = schema.get("const")) return *constant;
  if (const Tree* kinds = schema.get("type");
      kinds != nullptr && kinds->kind == json::ValueKind::array) {
    const std::string kind = kinds->elements[below(kinds->elements.size())].str();
    if (kind == "null") return scalar(nullptr);
    Tree one = schema;
    *one.get("type") = scalar(kind);
    return value(one, depth);
  }
  const std::string kind = schema.str("type");
  if (kind == "string") return string(schema);
  if (kind == "boolean") return scalar(chance(50));
  if (kind == "null") return scalar(nullptr);
  if (kind == "integer" || kind == "number") return number(schema);
  if (kind == "array") {
    Tree list = Tree::from(Json::array());
    const std::size_t least = schema.has("minItems") ? 1 : 0;
    for (std::size_t i = least + below(depth > 6 ? 1 : 3); i > 0; --i)
      list.elements.push_back(value(*schema.get("items"), depth + 1));
    return list;
  }
  if (kind == "object") {
    const Tree* extra = schema.get("additionalProperties");
    if (!schema.has("properties") && extra != nullptr) {
      Tree out = empty_object();
      for (std::size_t i = below(3); i > 0; --i)
        set(out, "key" + text(),
            extra->members.empty() ? anything(depth + 1) : value(*extra, depth + 1));
      return out;
    }
    return object(schema, depth);
  }
  const auto& list = arms(schema);
  if (list.empty()) return anything(depth);
  if (!tag_name(list).empty()) {
    Tree out = empty_object();
    add_arm(schema, out, depth);
    if (draw_.unknown_members && chance(50))
      set(out, "zz_" + std::to_string(below(100)), anything(depth + 1));
    return out;
  }
  const Tree& arm = list[below(list.size())];
  // A value beyond an open enum's list: by agreement one's own begin with an underscore.
  if (arm.str("type") == "string" && !arm.has("const") && list[0].has("const"))
    return scalar("_" + text());
  return value(arm, depth);
}

}  // namespace acp::schema_test
