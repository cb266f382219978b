// Places that no session may touch, wherever its directories are: acp's own configuration, keys and
// store. They are known by what they are, so that no link, rename or second name leads to them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "acp/workspace/files/file_error.h"
#include "acp/workspace/files/file_id.h"

namespace acp::workspace {

// Places that no agent may touch.
class Forbidden {
 public:
  class Now;

  Forbidden() = default;
  // Absolute: directories with all that is in them, and files. They need not exist.
  explicit Forbidden(const std::vector<std::string>& paths);

  // Whether there are none.
  bool empty() const { return !places_; }
  // Where the places are at this moment: for_reading() knows what is there, for_changes() also
  // each step on the way to it.
  Now for_reading() const;
  Now for_changes() const;

 private:
  struct Places;

  std::shared_ptr<const Places> places_;  // nothing if there are none
};

// The forbidden places at one moment.
class Forbidden::Now {
 public:
  // Whether it is a place itself.
  bool is(FileId id) const { return ids_.contains(id); }
  // Whether the file is a place, or another name of a file in one.
  bool has(const struct stat& file) const;
  // Whether it is the name of a place, which need not exist.
  bool is_named(FileId directory, const std::string& name) const {
    return names_.contains({directory, name});
  }
  // Whether a place is reached through this name.
  bool leads(FileId directory, const std::string& name) const {
    return steps_.contains({directory, name});
  }
  // Whether the directory is above a place.
  bool is_above(FileId directory) const { return above_.contains(directory); }

 private:
  friend class Forbidden;
  using Name = std::pair<FileId, std::string>;

  explicit Now(std::shared_ptr<const Places> places);
  void follow(const std::string& path);

  std::shared_ptr<const Places> places_;
  std::set<FileId> ids_, above_;
  std::set<Name> names_, steps_;
};

// The error for a path in a forbidden place.
FileError forbidden_error(const std::string& path);

}  // namespace acp::workspace
