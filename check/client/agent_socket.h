// The socket through which a client finds our agent: a socket in a directory that nobody else may
// enter, and the program that the client starts, which carries bytes between its own standard input
// and output and that socket.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "acp/io/transport.h"

namespace acp::check {

// A directory for this user alone, removed with all that is in it.
class PrivateDirectory {
 public:
  // One that is there, or a new one. Throws std::system_error.
  explicit PrivateDirectory(std::filesystem::path given = {});
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class AgentSocket {
 public:
  // Throws std::system_error. The path is removed with the socket. One that was left there, and
  // that nobody listens to, is replaced.
  explicit AgentSocket(std::filesystem::path path);
  AgentSocket(const AgentSocket&) = delete;
  AgentSocket& operator=(const AgentSocket&) = delete;
  ~AgentSocket();

  struct Visitor {
    Transport transport;
    int process = 0;  // that connected; 0 if the system does not tell
  };
  // Waits for the client to connect; nothing if the time is over.
  std::optional<Visitor> wait(std::chrono::milliseconds time) const;

 private:
  std::filesystem::path path_;
  io::Descriptor socket_;
};

// Removes a socket that nobody listens to. False if there is no such.
bool remove_left_socket(const std::filesystem::path& path);

struct SocketRelayOptions {
  std::string socket;
  bool stubborn = false;  // ends neither with its input nor by SIGTERM
};
// Relays until the socket or the input has ended. Returns the exit code of the program.
int relay(const SocketRelayOptions& options);

// Sends a signal to a process that we started or accepted; returns false if it is gone.
bool send_signal(int process, int signal);
bool process_exists(int process);
// Finds a signal by its name, "INT" or "SIGINT", or its number; nothing if there is none.
std::optional<int> signal_from(std::string_view name);

}  // namespace acp::check
