#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "acp/io/descriptor.h"
#include "acp/io/printable.h"
#include "cli/bad_usage.h"
#include "cli/input_file.h"

namespace acp::cli {

namespace {

std::string cannot_read(const std::string& path, int error) {
  return "cannot read " + io::one_line(path, io::whole) +
         (error == 0 ? "" : std::string(": ") + std::strerror(error));
}

}  // namespace

std::optional<std::string> read_to_end(int descriptor, const std::string& name) {
  constexpr std::size_t most_bytes = 64 * 1024 * 1024;
  std::string text;
  char piece[64 * 1024];
  while (true) {
    const ssize_t size = ::read(descriptor, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return {};
    if (size == 0) return text;
    text.append(piece, static_cast<std::size_t>(size));
    if (text.size() > most_bytes) throw BadUsage(name + " has more than 64 MiB");
  }
}

std::string whole_file(const std::string& path) {
  const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw BadUsage(cannot_read(path, errno));
  auto text = read_to_end(file.get(), io::one_line(path, io::whole));
  if (!text) throw BadUsage(cannot_read(path, errno));
  return std::move(*text);
}

std::string cannot_read(const std::string& path) {
  if (is_directory(path)) return cannot_read(path, EISDIR);
  return cannot_read(path, ::access(path.c_str(), R_OK) == 0 ? 0 : errno);
}

bool is_directory(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

}  // namespace acp::cli
