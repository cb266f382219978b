// The file of the store, its directories, and who may open it.
#pragma once

#include <string>

#include "acp/io/descriptor.h"
#include "coder/store/store.h"

namespace acp::coder {

// Nothing can be stored there; what() says why.
class NoPlace : public StoreError {
 public:
  using StoreError::StoreError;
};

// While this exists, no other process opens the store, makes it, or sets it aside. Throws NoPlace,
// or StoreError if another one takes very long.
class StoreFile {
 public:
  explicit StoreFile(const std::string& path);

  // Links are followed: two names of one file are one store.
  const std::string& path() const { return path_; }
  // The directory of the sessions' locks.
  const std::string& lock_directory() const { return lock_directory_; }

  // Makes the file, private to the user, if there is none. Returns false if the existing file
  // cannot be a database.
  bool make() const;
  // Renames the file and all that belongs to it, and returns the new name.
  std::string set_aside() const;

 private:
  std::string path_, lock_directory_;
  bool linked_ = false;  // the name that was given is a link
  io::Descriptor lock_;
};

}  // namespace acp::coder
