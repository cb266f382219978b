// acp schema check, and functions shared by the commands of `acp schema`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "acp/schema/registry.h"

namespace acp::cli {

struct Tables {
  explicit Tables(int protocol);
  std::span<const Definition> definitions;
  std::span<const Method> methods;
};

// Prints the problem and a hint; returns the exit code.
int complain(const std::string& what, const std::string& hint);

struct SchemaCheckOptions {
  int protocol = 1;
  bool strict = false;
  bool roundtrip = false;
  std::vector<std::string> words;  // [TYPE] [FILE...]
};
int check_schema(const SchemaCheckOptions& options);

}  // namespace acp::cli
