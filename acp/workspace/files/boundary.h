// The directories that a session may touch, and the only way to the files in them.
//
// A path is walked where it is used, never checked first and used later: `..` and symbolic links
// are followed while what they lead to is held open, so that nothing can be exchanged in between.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/file_error.h"
#include "acp/workspace/files/forbidden.h"

namespace acp::workspace {

// Where a file is, or will be: its directory, open, and its name there, which was no link. An empty
// name is the directory itself.
struct Place {
  io::Descriptor directory;
  std::string name;
};

// The directories of a session.
class Boundary {
 public:
  // How a path is kept inside.
  enum class Walk {
    by_system,      // where the system can keep a path beneath a directory; else by components
    by_components,  // always
  };

  // Absolute, the session's working directory first. They are opened here, once, and copies share
  // them: later changes of their paths do not matter. One that cannot be opened is reported when it
  // is used.
  explicit Boundary(std::vector<std::string> directories, Walk walk = Walk::by_system);
  // Forbidden paths are refused though they are inside.
  Boundary(std::vector<std::string> directories, Forbidden forbidden, Walk walk = Walk::by_system);

  // The directories as they were given.
  const std::vector<std::string>& directories() const { return directories_; }
  const Forbidden& forbidden() const { return forbidden_; }
  // Makes a path absolute; a relative one starts at the working directory.
  std::string absolute(std::string_view path) const;
  // The absolute path that a path leads to, all links and `..` followed. What does not exist yet
  // keeps its name. `follow` false: a link at the path's end is itself what is meant. Throws
  // FileError as open() does.
  std::string resolved(const std::string& path, bool follow = true) const;

  // Opens what is there, with the flags of open(2). All of these throw FileError.
  io::Descriptor open(const std::string& path, int flags) const;
  io::Descriptor open_directory(const std::string& path) const;
  // Finds the place of a path, which need not exist. A link at the path's end is followed.
  // `make_parents` makes the directories that are missing.
  Place place(const std::string& path, bool make_parents) const;
  // As place(), but does not follow a link at the path's end: to remove or rename it.
  Place place_of_link(const std::string& path, bool make_parents = false) const;
  // For a path that another program will use by name: throws FileError unless that leads to the
  // same place as here. It does not if a directory of the session has been moved or replaced.
  void require_same_by_name(const std::string& path) const;
  // Throws FileError if what is there is a directory of the session, or contains one, or contains
  // what is forbidden.
  void require_removable(const Place& place, const std::string& path) const;

 private:
  class Walker;
  struct Root;
  struct Start;

  // The directory that the path begins with, and the rest. Throws if there is none.
  Start start(const std::string& path, const std::string& asked) const;
  // The error for a path relative to the root.
  static FileError failure(const Root& root, const std::string& path, int code);

  std::vector<std::string> directories_;
  Forbidden forbidden_;
  std::shared_ptr<const std::vector<Root>> roots_;
  Walk walk_;
};
// "by_system", "by_components"
constexpr const char* to_string(Boundary::Walk value) {
  switch (value) {
    case Boundary::Walk::by_system:
      return "by_system";
    case Boundary::Walk::by_components:
      return "by_components";
  }
  return "";
}

}  // namespace acp::workspace
