// Reports when files come, go or change in folders that need not exist yet.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace acp::coder {

// One thread for all folders, started with the first.
class FolderWatch {
 public:
  FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  ~FolderWatch();

  // Watches `parts` below the directory, each in the one before it, as far as they exist: for
  // ".acp", "commands", the files in DIRECTORY/.acp/commands. `on_change` is called on the watch's
  // thread; it may call forget(), and may be called without a change. Returns false if the system
  // cannot watch.
  bool watch(const std::string& key, const std::string& directory, std::vector<std::string> parts,
             std::function<void()> on_change);
  // Ends a watch. A call of on_change that is under way may still finish.
  void forget(const std::string& key);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acp::coder
