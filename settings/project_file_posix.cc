#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "acp/json/utf8.h"
#include "acp/workspace/files/boundary.h"
#include "settings/project_file.h"

namespace acp::settings {

namespace {

// As far as whole characters go; less than nothing if it is no text.
std::optional<std::size_t> text_end(const std::string& bytes, bool whole) {
  if (bytes.find('\0') != std::string::npos) return {};
  const std::size_t end = json::utf8_valid(bytes);
  // The last character may be cut off.
  if (end != bytes.size() && (whole || bytes.size() - end >= 4)) return {};
  return end;
}

std::string why_not(const struct stat& file, const std::string& directory,
                    const std::string& project) {
  struct stat chosen = {}, above = {};
  if (!S_ISREG(file.st_mode)) return "it is no file";
  const bool of_project = stat(project.c_str(), &chosen) == 0 && file.st_uid == chosen.st_uid;
  if (file.st_uid != geteuid() && file.st_uid != 0 && !of_project)
    return "it belongs to another user";
  if (stat(directory.c_str(), &above) != 0) return std::strerror(errno);
  if (above.st_dev == chosen.st_dev && above.st_ino == chosen.st_ino) return {};
  if ((above.st_mode & S_IWOTH) != 0)
    return "everybody may write to its directory (chmod o-w " + directory + ")";
  if ((file.st_mode & S_IWOTH) != 0) return "everybody may write to it (chmod o-w)";
  return {};
}

}  // namespace

ProjectText read_project_file(const std::string& directory, const std::string& name,
                              const std::string& project, std::size_t most) {
  ProjectText result;
  const std::string path = directory + (directory.ends_with('/') ? "" : "/") + name;
  const auto problem = [&](const std::string& why) {
    result.problem = path + " is not read: " + why;
    return result;
  };
  struct stat about;
  // Most directories have none: nothing more to look at.
  if (lstat(path.c_str(), &about) != 0 && errno == ENOENT) return result;
  io::Descriptor file;
  try {
    // Not to wait for the other end of a pipe.
    file = workspace::Boundary({directory}).open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } catch (const workspace::FileError& error) {
    if (error.kind() == workspace::FileError::Kind::not_found) return result;
    if (error.kind() == workspace::FileError::Kind::outside)
      return problem("it is a link that leaves its directory");
    return problem(error.what());
  }
  if (fstat(file.get(), &about) != 0) return problem(std::strerror(errno));
  if (const std::string why = why_not(about, directory, project); !why.empty()) return problem(why);
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t read = ::read(file.get(), text.data() + size, most - size);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return problem(std::strerror(errno));
    if (read == 0) break;
    size += static_cast<std::size_t>(read);
  }
  text.resize(size);
  result.size = std::max(size, static_cast<std::size_t>(about.st_size));
  const auto end = text_end(text, result.size == size);
  if (!end) return problem("it is no UTF-8 text");
  text.resize(*end);
  result.text = std::move(text);
  return result;
}

}  // namespace acp::settings
