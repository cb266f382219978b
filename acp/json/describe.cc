#include "acp/json/codec.h"

namespace acp::json {

std::string type_name(const Type& type) {
  if (*type.name != '\0') return type.name;
  switch (type.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::int32:
      return "int32";
    case Kind::int64:
      return "int64";
    case Kind::uint16:
      return "uint16";
    case Kind::uint32:
      return "uint32";
    case Kind::uint64:
      return "uint64";
    case Kind::number:
      return "number";
    case Kind::string:
      return "string";
    case Kind::raw: {
      std::string names;
      for (const Type* choice : type.choices)
        names += (names.empty() ? "" : " | ") + type_name(*choice);
      if (!names.empty()) return names;
      return type.objects_only ? (type.or_null ? "object | null" : "object") : "any";
    }
    case Kind::array:
      return "[" + type_name(*type.element) + "]";
    case Kind::map:
      return "map of " + type_name(*type.element);
    case Kind::nullable:
      return type_name(*type.element) + " | null";
    case Kind::optional:
      return type_name(*type.element);
    default:
      return "object";
  }
}

namespace {

Json strings(std::span<const std::string_view> values) {
  Json list = Json::array();
  for (std::string_view value : values) list.append(value);
  return list;
}

void add_bounds(Json& out, const Type& type) {
  const Type& inner =
      type.kind == Kind::nullable || type.kind == Kind::optional ? *type.element : type;
  if (inner.bounds == nullptr) return;
  if (inner.bounds->minimum) out.set("minimum", *inner.bounds->minimum);
  if (inner.bounds->maximum) out.set("maximum", *inner.bounds->maximum);
  if (inner.bounds->min_length != 0) out.set("minLength", inner.bounds->min_length);
  if (inner.bounds->min_items != 0) out.set("minItems", inner.bounds->min_items);
  if (inner.bounds->format != nullptr) out.set("format", inner.bounds->format);
  if (inner.bounds->encoding != nullptr) out.set("encoding", inner.bounds->encoding);
}

Json describe_field(const Field& field) {
  Json out = Json::object({{"name", field.name()}, {"type", type_name(*field.type)}});
  if (field.is(required)) out.set("required", true);
  if (field.fallback != nullptr) out.set("default", Json::from_valid(field.fallback));
  add_bounds(out, *field.type);
  if (field.is(default_on_error)) out.set("defaultOnError", true);
  if (field.is(skip_invalid_items)) out.set("skipInvalidItems", true);
  if (field.is(default_on_null)) out.set("defaultOnNull", true);
  if (field.is(unstable)) out.set("unstable", true);
  return out;
}

Json describe_union(const Union& table) {
  Json arms = Json::array();
  for (const Arm& arm : table.arms) {
    if (arm.type == nullptr) continue;
    Json out = Json::object();
    if (!arm.tag.empty()) out.set("tag", arm.tag);
    // An arm that the schema writes in place has no name, but may have members.
    if (*arm.type->name == '\0' && arm.type->kind == Kind::object) {
      Json fields = Json::array();
      for (const Field& field : arm.type->object->fields) fields.append(describe_field(field));
      out.set("fields", fields);
    } else {
      out.set("type", type_name(*arm.type));
    }
    if ((arm.flags & unstable) != 0) out.set("unstable", true);
    arms.append(out);
  }
  Json out = Json::object({{"arms", arms}});
  if (table.tagged()) out.set("tag", table.tag());
  if (table.open) out.set("open", true);
  if (table.exclusive) out.set("exactlyOne", true);
  return out;
}

}  // namespace

Json describe(const Type& type) {
  Json out = Json::object({{"name", type_name(type)}});
  add_bounds(out, type);
  switch (type.kind) {
    case Kind::object: {
      out.set("kind", "object");
      Json fields = Json::array();
      for (const Field& field : type.object->fields) fields.append(describe_field(field));
      out.set("fields", fields);
      if (type.object->flat != nullptr) out.set("union", describe_union(*type.object->flat));
      if (type.object->additional) out.set("open", true);
      if (type.object->null_is_empty) out.set("nullIsEmpty", true);
      break;
    }
    case Kind::variant:
      out.set("kind", "union");
      out.set("union", describe_union(*type.variant));
      break;
    case Kind::enumerated:
    case Kind::open_enum:
      out.set("kind", "enum");
      out.set("values", strings(type.values));
      if (type.kind == Kind::open_enum) out.set("open", true);
      break;
    case Kind::int32:
      out.set("kind", "int32");
      if (!type.codes.empty()) {
        Json codes = Json::array();
        for (std::int32_t code : type.codes) codes.append(code);
        out.set("values", codes);
        out.set("open", true);
      }
      break;
    default: {
      Type unnamed = type;
      unnamed.name = "";
      out.set("kind", type_name(unnamed));
    }
  }
  return out;
}

}  // namespace acp::json
