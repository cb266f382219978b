// Checks the C++ tables against the four official schema files, with a reading of the schema of its
// own: nothing here comes from generate.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "acp/json/codec.h"
#include "acp/schema/registry.h"
#include "acp/schema/testing/schema_tree.h"
#include "acp/schema/testing/schema_walk.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::schema_test {
namespace {

struct Version {
  const char* name;
  std::span<const Definition> definitions;
  std::span<const Method> methods;
};

const std::vector<Version>& versions() {
  static const std::vector<Version> all{{"v1", v1::definitions(), v1::methods()},
                                        {"v2", v2::definitions(), v2::methods()}};
  return all;
}

TEST(Schema, TablesAreWhatTheOfficialFilesSay) {
  const std::map<std::string, int> definitions{{"v1/schema.json", 178},
                                               {"v1/schema.unstable.json", 252},
                                               {"v2/schema.json", 197},
                                               {"v2/schema.unstable.json", 262}};
  const std::map<std::string, int> methods{{"v1/schema.json", 25},
                                           {"v1/schema.unstable.json", 38},
                                           {"v2/schema.json", 18},
                                           {"v2/schema.unstable.json", 31}};
  for (const Version& version : versions()) {
    const Tree stable = read_schema(version.name + std::string("/schema.json"));
    for (const char* file : {"/schema.json", "/schema.unstable.json"}) {
      const std::string name = version.name + std::string(file);
      const Tree tree = read_schema(name);
      Walk walk(tree, stable, name.find("unstable") == std::string::npos, version.definitions,
                version.methods);
      walk.run();
      for (const std::string& difference : walk.differences)
        ADD_FAILURE() << name << ": " << difference;
      std::printf("%s:", name.c_str());
      for (const auto& [what, count] : walk.counts) std::printf(" %d %s,", count, what.c_str());
      std::printf(" %zu differences\n", walk.differences.size());
      EXPECT_EQ(walk.counts["definitions"], definitions.at(name));
      EXPECT_EQ(walk.counts["methods"], methods.at(name));
    }
  }
}

// ---- The walk itself is no formality: every kind of change to a schema file must be noticed. ----

// Calls `change` for each node of the schema under $defs, with the key under which it stands.
template <class Change>
void each_node(Tree& node, const std::string& key, bool names, Change change) {
  if (!names) change(node, key);
  for (auto& [name, member] : node.members) {
    if (name == "default" || name == "not" || name == "discriminator" || name == "description")
      continue;
    each_node(member, name, name == "properties" || name == "$defs", change);
  }
  for (Tree& element : node.elements) each_node(element, key, false, change);
}

struct Change {
  const char* what;
  // Changes the node if it can, and says so.
  bool (*apply)(Tree& node, const std::string& key);
};

bool remove(Tree& node, std::string_view key) {
  return std::erase_if(node.members, [&](const auto& member) { return member.name == key; }) != 0;
}

Tree string_node(const std::string& text) { return Tree::from(Json(text)); }

const Change changes[] = {
    {"a property renamed",
     [](Tree& node, const std::string&) {
       Tree* properties = node.get("properties");
       if (properties == nullptr || properties->members.empty()) return false;
       std::string& name = properties->members.front().name;
       if (properties->members.front().value.has("const")) return false;
       name += "Renamed";
       return true;
     }},
    {"a property removed",
     [](Tree& node, const std::string&) {
       Tree* properties = node.get("properties");
       if (properties == nullptr || properties->members.empty() ||
           properties->members.back().value.has("const"))
         return false;
       properties->members.pop_back();
       return true;
     }},
    {"a required property made optional",
     [](Tree& node, const std::string&) {
       Tree* required = node.get("required");
       if (required == nullptr || required->elements.empty() || node.has("not")) return false;
       required->elements.erase(required->elements.begin());
       return true;
     }},
    {"a default removed", [](Tree& node, const std::string&) { return remove(node, "default"); }},
    {"a mark removed (error)",
     [](Tree& node, const std::string&) { return remove(node, "x-deserialize-default-on-error"); }},
    {"a mark removed (items)",
     [](Tree& node, const std::string&) {
       return remove(node, "x-deserialize-skip-invalid-items");
     }},
    {"a mark removed (null)",
     [](Tree& node, const std::string&) { return remove(node, "x-deserialize-default-on-null"); }},
    {"a minimum removed", [](Tree& node, const std::string&) { return remove(node, "minimum"); }},
    {"a maximum removed", [](Tree& node, const std::string&) { return remove(node, "maximum"); }},
    {"a minLength removed",
     [](Tree& node, const std::string&) { return remove(node, "minLength"); }},
    {"a minItems removed", [](Tree& node, const std::string&) { return remove(node, "minItems"); }},
    {"a format removed",
     [](Tree& node, const std::string&) {
       // `number` has one format only, and a code's is that of its siblings.
       return node.str("type") != "number" && node.str("format") != "double" &&
              !node.has("const") && node.str("title") != "Other" &&
              !(node.get("type") && node.get("type")->lists("number")) && remove(node, "format");
     }},
    {"null taken out",
     [](Tree& node, const std::string&) {
       Tree* kinds = node.get("type");
       if (kinds == nullptr || kinds->kind != json::ValueKind::array) return false;
       const Tree first = kinds->elements.front();
       *kinds = first;
       return true;
     }},
    {"a reference changed",
     [](Tree& node, const std::string&) {
       Tree* ref = node.get("$ref");
       if (ref == nullptr) return false;
       *ref = string_node(ref->str() == "#/$defs/SessionId" ? "#/$defs/ToolCallId"
                                                            : "#/$defs/SessionId");
       return true;
     }},
    {"a constant changed",
     [](Tree& node, const std::string&) {
       Tree* constant = node.get("const");
       if (constant == nullptr) return false;
       *constant = constant->kind == json::ValueKind::string ? string_node(constant->str() + "x")
                                                             : Tree::from(Json(1));
       return true;
     }},
    {"an arm removed",
     [](Tree& node, const std::string& key) {
       for (const char* kind : {"anyOf", "oneOf"}) {
         Tree* list = node.get(kind);
         if (list == nullptr || list->elements.empty() || key == "not") continue;
         list->elements.pop_back();
         return true;
       }
       return false;
     }},
    {"a type changed",
     [](Tree& node, const std::string&) {
       Tree* kind = node.get("type");
       if (kind == nullptr || kind->kind != json::ValueKind::string || node.has("const"))
         return false;
       if (kind->str() == "object" && node.has("required") && node.has("not")) return false;
       *kind = string_node(kind->str() == "boolean" ? "string" : "boolean");
       return true;
     }},
    {"a method renamed",
     [](Tree& node, const std::string&) {
       Tree* method = node.get("x-method");
       if (method == nullptr) return false;
       *method = string_node(method->str() + "x");
       return true;
     }},
    {"a side changed",
     [](Tree& node, const std::string&) {
       Tree* side = node.get("x-side");
       if (side == nullptr) return false;
       *side = string_node(side->str() == "agent" ? "client" : "agent");
       return true;
     }},
};

// A walk takes a hundred times as long under the address sanitizer.
#ifdef __SANITIZE_ADDRESS__
constexpr int tries = 1;
#else
constexpr int tries = 8;
#endif

TEST(Schema, EveryChangeToTheSchemaIsNoticed) {
  std::map<std::string, int> all_places;
  for (const Version& version : versions()) {
    const Tree stable = read_schema(version.name + std::string("/schema.json"));
    const Tree original = read_schema(version.name + std::string("/schema.unstable.json"));
    for (const Change& change : changes) {
      // The node at which the change is made: the first that takes it, then the next, spread over
      // the file.
      int places = 0, tried = 0;
      Tree count = original;
      each_node(*count.get("$defs"), "$defs", true, [&](Tree& node, const std::string& key) {
        Tree copy = node;
        places += change.apply(copy, key) ? 1 : 0;
      });
      all_places[change.what] += places;
      const int step = std::max(1, places / tries);
      for (int target = 0; target < places; target += step) {
        Tree changed = original;
        std::string before;
        int place = 0;
        each_node(*changed.get("$defs"), "$defs", true, [&](Tree& node, const std::string& key) {
          Tree copy = node;
          if (!change.apply(copy, key)) return;
          if (place++ != target) return;
          before = key + " " + node.json();
          node = copy;
        });
        Walk walk(changed, stable, false, version.definitions, version.methods);
        walk.run();
        EXPECT_FALSE(walk.differences.empty())
            << version.name << ": " << change.what << " in " << before;
        ++tried;
      }
      std::printf("%s: %s: noticed in each of %d places tried, of %d\n", version.name, change.what,
                  tried, places);
    }
  }
  for (const auto& [what, places] : all_places) EXPECT_GT(places, 0) << what;
}

}  // namespace
}  // namespace acp::schema_test
