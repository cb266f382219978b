// For tests: values drawn at random from a JSON Schema.
#pragma once

#include <random>
#include <string>

#include "acp/schema/testing/schema_tree.h"

namespace acp::schema_test {

struct Draw {
  bool unknown_members = false;  // add members that no schema has, named `zz_…`
  bool unknown_tags = false;     // now and then a tag that no arm has
  bool always_meta = false;      // `_meta` wherever the schema allows it
};

class RandomValue {
 public:
  RandomValue(const Tree& file, unsigned seed) : defs_(*file.get("$defs")), random_(seed) {}

  // A valid value of the definition. With unknown tags, valid but for those.
  Tree of(const std::string& definition, Draw draw = {});

 private:
  Tree value(const Tree& schema, int depth);
  Tree object(const Tree& schema, int depth);
  void add_properties(const Tree& schema, Tree& out, int depth);
  void add_arm(const Tree& schema, Tree& out, int depth);
  Tree string(const Tree& schema);
  Tree number(const Tree& schema);
  Tree anything(int depth);
  std::string text();
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }

  const Tree& defs_;
  std::mt19937 random_;
  Draw draw_;
};

}  // namespace acp::schema_test
