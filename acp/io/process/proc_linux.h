// Reading /proc after a fork: see syscalls_linux.h.
#pragma once

#include "acp/io/process/syscalls_linux.h"

namespace acp::io {
namespace {  // not shared with code that is instrumented

// "123/task/456/children"
class ProcPath {
 public:
  ProcPath& operator<<(const char* text) {
    while (*text != '\0' && size_ + 1 < sizeof text_) text_[size_++] = *text++;
    return *this;
  }
  ProcPath& operator<<(int number) {
    char digits[12];
    char* at = digits + sizeof digits;
    *--at = '\0';
    do *--at = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << static_cast<const char*>(at);
  }
  const char* c_str() {
    text_[size_] = '\0';
    return text_;
  }

 private:
  char text_[64];
  std::size_t size_ = 0;
};

// Reads a number and moves past it; -1 if there is none.
inline int proc_number(const char*& at, const char* end) {
  if (at == end || *at < '0' || *at > '9') return -1;
  int value = 0;
  for (; at < end && *at >= '0' && *at <= '9'; ++at) value = value * 10 + (*at - '0');
  return value;
}

// use(number, directory) for every name in the directory that is a number. False if it cannot be
// read.
template <class Use>
bool each_number(int parent, const char* path, Use use) {
  const int directory = sys::open(parent, path, O_RDONLY | O_DIRECTORY);
  if (directory < 0) return false;
  // struct linux_dirent64: two 64-bit numbers, the length of the record, a byte, the name.
  constexpr std::size_t length_at = 16, name_at = 19;
  alignas(8) char buffer[1024];
  for (;;) {
    const long count = syscall(SYS_getdents64, directory, buffer, sizeof buffer);
    if (count <= 0) break;
    for (long at = 0; at < count;) {
      const char* const record = buffer + at;
      unsigned short length;
      __builtin_memcpy(&length, record + length_at, sizeof length);
      const char* name = record + name_at;
      const int value = proc_number(name, buffer + count);
      if (value >= 0 && *name == '\0') use(value, directory);
      at += length;
    }
  }
  sys::close(directory);
  return true;
}

}  // namespace
}  // namespace acp::io
