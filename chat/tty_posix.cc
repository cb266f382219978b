#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "acp/io/wake_pipe.h"
#include "chat/tty.h"

namespace acp::chat {

namespace {

bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(to, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

std::optional<Tty> Tty::open() {
  io::Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC));
  if (!terminal) return {};
  return Tty(std::move(terminal));
}

Tty::Size Tty::size() const {
  Size size;
  winsize window{};
  if (ioctl(terminal_.get(), TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = std::max<std::size_t>(window.ws_col, 20);
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

std::optional<std::string> Tty::ask(const std::string& text, std::stop_token stop) {
  const io::WakePipe wake;
  const std::stop_callback on_stop(stop, [&wake] { wake.poke(); });
  tcflush(terminal_.get(), TCIFLUSH);
  if (!write_all(terminal_.get(), text)) return {};
  std::string line;
  while (true) {
    pollfd watched[2] = {{terminal_.get(), POLLIN, 0}, {wake.descriptor(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return {};
    }
    if (watched[1].revents != 0) {
      write_all(terminal_.get(), "\n");
      return {};
    }
    char byte;
    const ssize_t size = ::read(terminal_.get(), &byte, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    if (byte == '\n') return line;
    line += byte;
  }
}

}  // namespace acp::chat
