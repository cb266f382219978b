// The file of the store, its directories, and who may open it.
#pragma once

#include <string>

#include "acp/io/descriptor.h"
#include "coder/store/store.h"

namespace acp::coder {

// Nothing can be stored there; says why.
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
  // For the locks of sessions.
  const std::string& lock_directory() const { return lock_directory_; }

  // Makes it, for nobody else to read, if there is none. False: what is there cannot be a database.
  bool make() const;
  // Gives it another name, with all that belongs to it, and tells the name.
  std::string set_aside() const;

 private:
  std::string path_, lock_directory_;
  bool linked_ = false;  // the name that was given is a link
  io::Descriptor lock_;
};

}  // namespace acp::coder
