// For tests: a JSON Schema file as a tree that can be searched and changed.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "acp/json/json.h"
#include "acp/json/writer.h"

namespace acp::schema_test {

struct Tree {
  struct Member;

  json::ValueKind kind = json::ValueKind::null;
  std::string text;  // of scalars
  std::vector<Member> members;
  std::vector<Tree> elements;

  static Tree from(JsonView value);

  const Tree* get(std::string_view key) const;
  Tree* get(std::string_view key) { return const_cast<Tree*>(std::as_const(*this).get(key)); }
  bool has(std::string_view key) const { return get(key) != nullptr; }
  // Of a string.
  std::string str() const { return Json::from_valid(text).as_string().value_or(""); }
  std::string str(std::string_view key) const { return has(key) ? get(key)->str() : ""; }
  bool is_true(std::string_view key) const { return has(key) && get(key)->text == "true"; }
  bool lists(std::string_view value) const;
  void remove(std::string_view key);

  void write(json::Writer& out) const;
  std::string json() const {
    json::Writer out;
    write(out);
    return out.str();
  }
};

struct Tree::Member {
  std::string name;
  Tree value;
};

inline Tree Tree::from(JsonView value) {
  Tree tree;
  tree.kind = value.kind();
  if (value.is_object())
    for (const auto& [key, member] : value.members())
      tree.members.push_back({std::string(key), from(member)});
  else if (value.is_array())
    for (JsonView element : value.elements()) tree.elements.push_back(from(element));
  else
    tree.text = value.text();
  return tree;
}

inline const Tree* Tree::get(std::string_view key) const {
  for (const auto& [name, member] : members)
    if (name == key) return &member;
  return nullptr;
}

inline bool Tree::lists(std::string_view value) const {
  for (const Tree& element : elements)
    if (element.str() == value) return true;
  return false;
}

inline void Tree::remove(std::string_view key) {
  std::erase_if(members, [&](const Member& member) { return member.name == key; });
}

inline void Tree::write(json::Writer& out) const {
  if (kind == json::ValueKind::object) {
    json::Members m(out);
    for (const auto& [key, member] : members) member.write(m.key(key));
  } else if (kind == json::ValueKind::array) {
    out.put('[');
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) out.put(',');
      elements[i].write(out);
    }
    out.put(']');
  } else {
    out.put(text);
  }
}

// "v1/schema.unstable.json" of the official SDK, which `npm ci` installs.
inline Tree read_schema(const std::string& name) {
  const std::string path = "node_modules/@agentclientprotocol/sdk/schema/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " is not there: run npm ci");
  std::ostringstream text;
  text << file.rdbuf();
  return Tree::from(Json::parse(text.str()).value());
}

// `#/$defs/Name` gives Name; also through an allOf of one. Empty if it is no reference.
inline std::string reference(const Tree& schema) {
  if (const Tree* ref = schema.get("$ref")) return ref->str().substr(ref->str().rfind('/') + 1);
  const Tree* all = schema.get("allOf");
  return all != nullptr && all->elements.size() == 1 ? reference(all->elements[0]) : "";
}

inline const std::vector<Tree>& arms(const Tree& schema) {
  static const std::vector<Tree> none;
  if (const Tree* any = schema.get("anyOf")) return any->elements;
  if (const Tree* one = schema.get("oneOf")) return one->elements;
  return none;
}

// The member whose constant tells the arms apart, or empty.
inline std::string tag_name(const std::vector<Tree>& arms) {
  for (const Tree& arm : arms)
    if (const Tree* properties = arm.get("properties"))
      for (const auto& [name, property] : properties->members)
        if (property.has("const")) return name;
  return "";
}

inline std::string tag_value(const Tree& arm, const std::string& tag) {
  const Tree* properties = arm.get("properties");
  const Tree* property = properties != nullptr ? properties->get(tag) : nullptr;
  return property != nullptr ? property->str("const") : "";
}

}  // namespace acp::schema_test
