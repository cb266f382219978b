#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "acp/io/descriptor.h"
#include "acp/io/quiet_thread.h"
#include "acp/io/wake_pipe.h"
#include "coder/folder_watch.h"

namespace acp::coder {

namespace {

constexpr std::uint32_t changes = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                  IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

struct FolderWatch::Parts {
  struct Watched {
    std::string directory;
    std::vector<std::string> below;
    std::function<void()> on_change;
    // Which folder it is, and the only name in it that matters; empty: all.
    std::map<int, std::string> folders = {};
  };

  io::Descriptor changed;
  std::optional<io::WakePipe> stop;  // of the thread, if there is one
  std::mutex mutex;
  std::map<std::string, Watched> watched;
  std::thread thread;

  // With the lock held. Folders come and go: all are asked for anew.
  void look(Watched& one) {
    one.folders.clear();
    std::string path = one.directory;
    for (std::size_t i = 0; i <= one.below.size(); ++i) {
      const int folder = inotify_add_watch(changed.get(), path.c_str(), changes);
      if (folder < 0) return;
      one.folders[folder] = i < one.below.size() ? one.below[i] : "";
      if (i < one.below.size()) path += "/" + one.below[i];
    }
  }

  // Nobody wants what happens in a folder that is in no list.
  bool wanted(int folder) const {
    for (const auto& [key, one] : watched)
      if (one.folders.contains(folder)) return true;
    return false;
  }

  void run() {
    while (true) {
      pollfd wait[2] = {{changed.get(), POLLIN, 0}, {stop->descriptor(), POLLIN, 0}};
      if (poll(wait, 2, -1) < 0 && errno != EINTR) return;
      if (wait[1].revents != 0) return;
      if (wait[0].revents != 0) take();
    }
  }

  void take() {
    alignas(inotify_event) char buffer[16 * 1024];
    const ssize_t size = read(changed.get(), buffer, sizeof buffer);
    std::vector<std::function<void()>> calls;
    {
      const std::lock_guard lock(mutex);
      std::set<std::string> keys;
      for (ssize_t at = 0; at < size;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(buffer + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        const std::string name = event->len == 0 ? "" : event->name;
        bool known = false;
        // So much has happened that not all of it was reported.
        if ((event->mask & IN_Q_OVERFLOW) != 0)
          for (const auto& [key, one] : watched) keys.insert(key);
        for (const auto& [key, one] : watched) {
          const auto folder = one.folders.find(event->wd);
          if (folder == one.folders.end()) continue;
          known = true;
          if (name.empty() || folder->second.empty() || folder->second == name) keys.insert(key);
        }
        if (!known && (event->mask & (IN_IGNORED | IN_Q_OVERFLOW)) == 0)
          inotify_rm_watch(changed.get(), event->wd);
      }
      for (const std::string& key : keys) {
        look(watched[key]);
        calls.push_back(watched[key].on_change);
      }
    }
    for (const auto& call : calls) call();
  }
};

FolderWatch::FolderWatch() : parts_(std::make_unique<Parts>()) {}

FolderWatch::~FolderWatch() {
  if (!parts_->thread.joinable()) return;
  parts_->stop->poke();
  parts_->thread.join();
}

bool FolderWatch::watch(const std::string& key, const std::string& directory,
                        std::vector<std::string> parts, std::function<void()> on_change) {
  const std::lock_guard lock(parts_->mutex);
  if (!parts_->thread.joinable()) {
    parts_->changed = io::Descriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!parts_->changed) return false;
    try {
      parts_->stop.emplace();
    } catch (const std::system_error&) {
      return false;
    }
    parts_->thread = io::quiet_thread([parts = parts_.get()] { parts->run(); });
  }
  Parts::Watched& one = parts_->watched[key];
  one = {directory, std::move(parts), std::move(on_change)};
  parts_->look(one);
  return !one.folders.empty();
}

void FolderWatch::forget(const std::string& key) {
  const std::lock_guard lock(parts_->mutex);
  const auto found = parts_->watched.find(key);
  if (found == parts_->watched.end()) return;
  const auto folders = std::move(found->second.folders);
  parts_->watched.erase(found);
  for (const auto& [folder, name] : folders)
    if (!parts_->wanted(folder)) inotify_rm_watch(parts_->changed.get(), folder);
}

}  // namespace acp::coder
