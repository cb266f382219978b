// A connected agent, and the process behind it if we started one.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "acp/client_role.h"
#include "acp/io/process.h"
#include "acp/io/tail_buffer.h"

namespace acp::detail {

struct AgentProcess {
  ~AgentProcess();
  void close();
  // Whatever is known when it cannot be used.
  StartFailed::Diagnosis diagnose(StartFailed::Phase phase, std::string reason);

  std::shared_ptr<const Client::Parts> parts;
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<ClientRole> role;
  v1::InitializeResponse info;
  std::string command;
  bool ready = false;  // guarded by the connection's lock

  // What watches the process; it reads its stderr.
  void start_watching();
  void watch();
  io::Descriptor stderr_end;
  std::mutex mutex;
  io::Process process;
  io::TailBuffer tail;
  std::vector<std::string> new_lines;  // that the program's hook has not seen
  std::optional<io::ExitStatus> exit;
  std::condition_variable exited;
  std::mutex closing;  // the second to close waits for the first
  bool closed = false;
  bool stderr_ended = false;
  int process_id = 0;
  io::Descriptor stop_read, stop_write;
  std::thread watcher;
};

}  // namespace acp::detail
