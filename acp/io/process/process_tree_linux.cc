#include "acp/io/process/process_tree_linux.h"

#include "acp/io/process/proc_linux.h"

namespace acp::io {

ProcessTree::ProcessTree(int root, Entry* table, std::size_t capacity)
    : ProcessTree(root, table, capacity, Source::children_files) {
  const int own = sys::pid();
  const int file =
      sys::open(proc_, (ProcPath() << own << "/task/" << own << "/children").c_str(), O_RDONLY);
  if (file < 0)
    source_ = Source::all_processes;
  else
    sys::close(file);
}

ProcessTree::ProcessTree(int root, Entry* table, std::size_t capacity, Source source)
    : root_(root),
      source_(source),
      proc_(sys::open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY)),
      entries_(table),
      capacity_(capacity) {
  // In another namespace of processes our numbers mean others.
  char self[16];
  const long size = ok() ? syscall(SYS_readlinkat, proc_, "self", self, sizeof self) : 0;
  const char* at = self;
  if (ok() && (size <= 0 || proc_number(at, self + size) != sys::pid())) {
    sys::close(proc_);
    proc_ = -1;
  }
}

ProcessTree::~ProcessTree() {
  if (proc_ >= 0) sys::close(proc_);
}

void ProcessTree::add_children(int parent) {
  if (!ok()) return;
  if (source_ == Source::all_processes) {
    each_number(proc_, ".", [&](int pid, int) { add_if_child(pid, parent); });
    return;
  }
  // A child is listed with the thread that made it.
  each_number(proc_, (ProcPath() << parent << "/task").c_str(),
              [&](int task, int) { add_children_of_task(parent, task); });
}

void ProcessTree::add_children_of_task(int parent, int task) {
  const int file =
      sys::open(proc_, (ProcPath() << parent << "/task/" << task << "/children").c_str(), O_RDONLY);
  if (file < 0) return;
  char buffer[1024];
  long kept = 0;
  for (;;) {
    const long count = sys::read(file, buffer + kept, sizeof buffer - kept);
    if (count <= 0) break;
    const char* const end = buffer + kept + count;
    const char* at = buffer;
    kept = 0;
    while (at < end) {
      const char* const start = at;
      const int pid = proc_number(at, end);
      if (pid < 0) {
        ++at;
      } else if (at < end) {  // the space after it: the number is whole
        add_if_child(pid, parent);
      } else {
        for (const char* from = start; from < end; ++from) buffer[kept++] = *from;
      }
    }
  }
  sys::close(file);
}

void ProcessTree::add_if_child(int pid, int parent) {
  Entry entry;
  if (size_ == capacity_ || !look_up(pid, entry) || entry.parent != parent) return;
  entries_[size_++] = entry;
}

bool ProcessTree::look_up(int pid, Entry& entry) const {
  const int file = sys::open(proc_, (ProcPath() << pid << "/stat").c_str(), O_RDONLY);
  if (file < 0) return false;
  char buffer[512];
  const long size = sys::read(file, buffer, sizeof buffer);
  sys::close(file);
  // `PID (NAME) STATE PARENT GROUP …`, where the name may hold anything, parentheses too.
  const char* const end = buffer + (size > 0 ? size : 0);
  const char* at = end;
  while (at > buffer && at[-1] != ')') --at;
  if (at == buffer || end - at < 2) return false;
  entry.pid = pid;
  entry.state = at[1];
  // Numbered as in proc(5): the state is field 3.
  int field = 3;
  unsigned long long value = 0;
  for (at += 2; at < end && field <= 22; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 10 + static_cast<unsigned>(*at - '0');
    } else if (*at == ' ') {
      if (field == 4) entry.parent = static_cast<int>(value);
      if (field == 5) entry.group = static_cast<int>(value);
      if (field == 22) entry.start = value;
      ++field;
      value = 0;
    }
  }
  return field > 22;
}

bool ProcessTree::is_current(const Entry& entry) const {
  Entry now;
  return look_up(entry.pid, now) && now.start == entry.start;
}

bool ProcessTree::send(const Entry& entry, int signal) const {
  // The descriptor holds the process, so that what is looked up afterwards is what gets the signal.
  const int process = static_cast<int>(syscall(SYS_pidfd_open, entry.pid, 0));
  if (process < 0 && errno != ENOSYS && errno != EPERM) return false;
  bool sent = false;
  if (is_current(entry))
    sent = (process < 0 ? sys::kill(entry.pid, signal)
                        : syscall(SYS_pidfd_send_signal, process, signal, nullptr, 0)) == 0;
  if (process >= 0) sys::close(process);
  return sent;
}

}  // namespace acp::io
