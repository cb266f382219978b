#include "acp/io/process/host_memory_linux.h"

#include <sys/mman.h>

#include <utility>

#include "acp/io/process/syscalls_linux.h"

namespace acp::io {
namespace {

constexpr std::uintptr_t worthwhile = 1 << 20;
constexpr std::uintptr_t around = 1 << 20;  // so much stays on both sides of what we need

// A line of /proc/self/maps: `start-end rwxp offset device inode   path`.
struct Mapping {
  std::uintptr_t start, end;
  char permissions[4];
  std::uint64_t inode;
  char path[2];  // its first characters
};

// Takes the text a character at a time, since a path may be longer than any buffer.
class MapsParser {
 public:
  // Whether the line is complete.
  bool take(char c, Mapping& mapping) {
    if (c == '\n') {
      field_ = column_ = 0;
      return true;
    }
    if (field_ == 0 && column_ == 0) mapping = Mapping{};
    if (c == ' ' && field_ < 5) {
      ++field_;
      column_ = 0;
      return false;
    }
    if (field_ == 0) {
      if (c == '-') {
        mapping.start = mapping.end;
        mapping.end = 0;
      } else {
        mapping.end =
            mapping.end << 4 | static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      }
    } else if (field_ == 1 && column_ < 4) {
      mapping.permissions[column_] = c;
    } else if (field_ == 4) {
      mapping.inode = mapping.inode * 10 + static_cast<std::uint64_t>(c - '0');
    } else if (field_ == 5 && c != ' ' && column_ < 2) {
      mapping.path[column_] = c;
    } else if (field_ == 5 && c == ' ' && column_ == 0) {
      return false;
    }
    ++column_;
    return false;
  }

 private:
  int field_ = 0;
  int column_ = 0;
};

void release(std::uintptr_t start, std::uintptr_t end) {
  if (start < end && end - start >= worthwhile)
    syscall(SYS_madvise, start, end - start, MADV_DONTNEED);
}

void release(const Mapping& mapping, std::uintptr_t file_end) {
  const std::uintptr_t size = mapping.end - mapping.start;
  // Our stack, errno and our code.
  const char here = 0;
  std::uintptr_t kept[] = {reinterpret_cast<std::uintptr_t>(&here),
                           reinterpret_cast<std::uintptr_t>(&errno),
                           reinterpret_cast<std::uintptr_t>(&release_host_memory)};
  const auto is_inside = [&](std::uintptr_t address) {
    return address >= mapping.start && address < mapping.end;
  };
  if (mapping.permissions[3] == 's') {
    for (const std::uintptr_t address : kept)
      if (is_inside(address)) return;
    syscall(SYS_munmap, mapping.start, size);
    return;
  }
  // Anonymous and writable: without a path, `[heap]` or `[anon:…]`. Not the variables of a library,
  // which follow directly on its file, nor the main thread's stack, nor what the kernel put there.
  const bool unnamed = mapping.path[0] == '\0' || mapping.path[1] == 'h' || mapping.path[1] == 'a';
  if (mapping.inode != 0 || !unnamed || mapping.permissions[1] != 'w' || mapping.start == file_end)
    return;
  // The kernel joins neighbours: a large block of the host's and the page of errno may be one
  // mapping. What is far from what we need goes.
  if (kept[0] > kept[1]) std::swap(kept[0], kept[1]);
  if (kept[1] > kept[2]) std::swap(kept[1], kept[2]);
  if (kept[0] > kept[1]) std::swap(kept[0], kept[1]);
  std::uintptr_t from = mapping.start;
  for (const std::uintptr_t address : kept) {
    if (!is_inside(address)) continue;
    const std::uintptr_t rounded = address / around * around;
    if (rounded > around) release(from, rounded - around);
    from = rounded + 2 * around;
  }
  release(from, mapping.end);
}

}  // namespace

void release_host_memory() {
  const int file = sys::open(AT_FDCWD, "/proc/self/maps", O_RDONLY);
  if (file < 0) return;
  MapsParser parser;
  Mapping mapping{};
  std::uintptr_t file_end = 0;
  char buffer[1024];
  for (long size; (size = sys::read(file, buffer, sizeof buffer)) > 0;)
    for (long i = 0; i < size; ++i) {
      if (!parser.take(buffer[i], mapping)) continue;
      release(mapping, file_end);
      if (mapping.inode != 0) file_end = mapping.end;
    }
  sys::close(file);
}

}  // namespace acp::io
