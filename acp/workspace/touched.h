// A path as rules see it: as it is written, where it leads, and what is below it.
#pragma once

#include <stop_token>
#include <string>

#include "acp/workspace/files/boundary.h"
#include "acp/workspace/question.h"

namespace acp::workspace {

// What a path with a link at its end means.
enum class Ends {
  followed,  // a link at the path's end: what it leads to is meant
  as_it_is,  // the link itself is: it is moved or deleted
};
// "followed", "as_it_is"
constexpr const char* to_string(Ends value) {
  switch (value) {
    case Ends::followed:
      return "followed";
    case Ends::as_it_is:
      return "as_it_is";
  }
  return "";
}

// Throws nothing but Cancelled, once it is stopped. Outside the boundary the path is resolved as
// the system does it, and what cannot be resolved counts as it is written. With `as_it_is`, what is
// below a directory is listed, up to a limit; beyond it, nobody knows.
Touched touched(const Boundary& boundary, const std::string& path, Ends ends = Ends::followed,
                const std::stop_token& stop = {});

}  // namespace acp::workspace
