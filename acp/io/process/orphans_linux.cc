#include "acp/io/process/orphans_linux.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "acp/io/process/process_tree_linux.h"

namespace acp::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_die{10};
constexpr std::chrono::milliseconds longest_pause{100};
constexpr std::size_t table_size = 32768;

std::atomic<bool> adopting = false;

// Never destroyed: a Process may be, after it.
struct Known {
  std::mutex mutex;
  std::set<int> children;
};
Known& known() {
  static Known* const one = new Known;
  return *one;
}

bool has_ended(const ProcessTree::Entry& entry) { return entry.state == 'Z' || entry.state == 'X'; }

class Orphans {
 public:
  explicit Orphans(int supervisor)
      : own_(getpid()),
        supervisor_(supervisor),
        table_(std::make_unique_for_overwrite<ProcessTree::Entry[]>(table_size)),
        tree_(own_, table_.get(), table_size) {}

  // Again and again: what is just being forked is found the next time.
  void kill() {
    const Clock::time_point end = Clock::now() + time_to_die;
    for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, longest_pause)) {
      find();
      if (found_.empty() || Clock::now() > end) return;
      // One that is stopped forks no more; children first, as a parent's death would wake them.
      for (const ProcessTree::Entry& entry : found_) tree_.send(entry, SIGSTOP);
      for (auto entry = found_.rbegin(); entry != found_.rend(); ++entry)
        tree_.send(*entry, SIGKILL);
      for (const ProcessTree::Entry& entry : found_)
        if (entry.parent == own_) waitpid(entry.pid, nullptr, WNOHANG | __WALL);
      std::this_thread::sleep_for(pause);
    }
  }

 private:
  // Our children that nobody knows and that are younger than the supervisor; and all below them.
  void find() {
    found_.clear();
    const std::lock_guard lock(known().mutex);
    const std::set<int>& children = known().children;
    tree_.list([](const ProcessTree::Entry&) {});
    unsigned long long since = since_;
    std::set<int> doomed;
    for (std::size_t i = 0; i < tree_.size(); ++i)
      if (tree_[i].pid == supervisor_) since = tree_[i].start;
    since_ = since;
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const ProcessTree::Entry& entry = tree_[i];
      const bool ours =
          entry.parent == own_ && !children.contains(entry.pid) && entry.start >= since;
      if (!ours && !doomed.contains(entry.parent)) continue;
      doomed.insert(entry.pid);
      // One that has ended waits for its parent: for us, or for one that dies, too.
      if (has_ended(entry) && entry.parent == own_)
        waitpid(entry.pid, nullptr, WNOHANG | __WALL);
      else if (!has_ended(entry))
        found_.push_back(entry);
    }
  }

  const int own_, supervisor_;
  const std::unique_ptr<ProcessTree::Entry[]> table_;
  ProcessTree tree_;
  unsigned long long since_ = 0;  // when the supervisor was started
  std::vector<ProcessTree::Entry> found_;
};

}  // namespace

void adopt_orphans() { adopting = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0; }

int start_known(const std::function<int()>& start) {
  const std::lock_guard lock(known().mutex);
  const int child = start();
  if (child > 0) known().children.insert(child);
  return child;
}

void forget_known(int child) {
  const std::lock_guard lock(known().mutex);
  known().children.erase(child);
}

void kill_orphans_of(int supervisor) {
  if (!adopting) return;
  // Its end is seen before its children are ours: they are, once it can be reaped.
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(supervisor), &info, WEXITED | WNOWAIT | __WALL) != 0)
    if (errno != EINTR) break;
  // One that exits has done its work.
  if (info.si_code != CLD_EXITED) Orphans(supervisor).kill();
}

}  // namespace acp::io
