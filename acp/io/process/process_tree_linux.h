// Every descendant of a process, as /proc tells it. Usable after a fork: see syscalls_linux.h.
#pragma once

#include <cstddef>

// A call to a function that a shared library shows is bound at its first use, when that may not
// work.
#pragma GCC visibility push(hidden)
namespace acp::io {

// Hidden: a call to a shared library's function is bound at its first use, when that may no longer
// work.
class __attribute__((visibility("hidden"))) ProcessTree {
 public:
  struct Entry {
    int pid;
    int parent;
    int group;
    char state;                // as in /proc/PID/stat: T is stopped, Z has ended
    unsigned long long start;  // its time: numbers of processes are used again
  };
  enum class Source {
    children_files,  // /proc/PID/task/TID/children: costs what the tree costs; not in every kernel
    all_processes,   // /proc/PID/stat of all there are
  };

  // Opens /proc. Without a /proc that shows our own processes ok() is false, and there is no tree.
  // The table is the caller's, made before the fork. Where it is too small, what is missing is
  // found by the next listing, after those listed have gone.
  ProcessTree(int root, Entry* table, std::size_t capacity);
  ProcessTree(int root, Entry* table, std::size_t capacity, Source source);
  ~ProcessTree();
  ProcessTree(const ProcessTree&) = delete;
  ProcessTree& operator=(const ProcessTree&) = delete;

  bool ok() const { return proc_ >= 0; }

  // Lists the tree anew, parents before children. `visit` sees each entry before its children are
  // looked for: a process that it stops cannot hide new ones.
  template <class Visit>
  void list(Visit visit) {
    size_ = 0;
    add_children(root_);
    for (std::size_t i = 0; i < size_; ++i) {
      visit(entries_[i]);
      const std::size_t before = size_;
      add_children(entries_[i].pid);
      // If it has ended meanwhile, they may be a stranger's.
      if (!is_current(entries_[i])) size_ = before;
    }
  }
  // What was listed last.
  std::size_t size() const { return size_; }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }

  // To that process only, not to a stranger that got its number since. Whether it was sent.
  bool send(const Entry& entry, int signal) const;

 private:
  void add_children(int parent);
  void add_children_of_task(int parent, int task);
  void add_if_child(int pid, int parent);
  bool look_up(int pid, Entry& entry) const;
  bool is_current(const Entry& entry) const;

  int root_;
  Source source_;
  int proc_;
  Entry* entries_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace acp::io
#pragma GCC visibility pop
