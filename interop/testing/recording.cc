#include "interop/testing/recording.h"

#include <acp/error.h>
#include <acp/remote/client.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>

namespace interop {

using acp::Json;

void until_cancelled(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, stop, [] { return false; });
  throw acp::Cancelled();
}

acp::Error failure(std::int32_t code, const std::function<void()>& call) {
  try {
    call();
  } catch (const acp::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error;
  }
  ADD_FAILURE() << "expected an error " << code;
  return acp::Error(0, "");
}

void record(acp::Client& client, Inbox& wire) {
  static std::mutex file_mutex;
  static std::ofstream file;
  static int connections = 0;
  const std::lock_guard lock(file_mutex);
  const char* const path = std::getenv("ACP_INTEROP_TRANSCRIPT");
  if (path != nullptr && !file.is_open()) file.open(path);
  client.tap([&wire, connection = ++connections](const acp::Frame& frame) {
    const auto message = Json::parse(std::string(frame.text));
    if (!message) return;  // a test of what is no JSON
    const char* const from = frame.direction == acp::rpc::Direction::sent ? "client" : "agent";
    wire.put(from, *message);
    const std::lock_guard lock(file_mutex);
    if (file.is_open())
      file << R"({"connection":)" << connection << R"(,"from":")" << from << R"(","message":)"
           << frame.text << "}" << std::endl;
  });
}

std::string transport() {
  const char* const chosen = std::getenv("ACP_INTEROP_TRANSPORT");
  return chosen == nullptr ? "stdio" : chosen;
}

acp::AgentHandle start_agent(const acp::Client& client, ServerProcess& server,
                             std::vector<std::string> command) {
  if (!remote()) return client.spawn(command).wait();
  command.push_back("serve");
  std::string url = server.start(command);
  if (transport() == "ws") url.replace(0, 4, "ws");
  return client.connect(acp::remote::url(url)).wait();
}

std::string ServerProcess::start(const std::vector<std::string>& command) {
  acp::io::ProcessOptions options;
  options.argv = command;
  auto started = acp::io::Process::start(options);
  if (!started) throw std::runtime_error("the server does not start");
  process_.emplace(std::move(*started));
  input_ = process_->take_stdin();
  output_ = process_->take_stdout();
  std::string line;
  for (char c = 0; c != '\n';) {
    const ssize_t size = read(output_.get(), &c, 1);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
      pollfd ready{output_.get(), POLLIN, 0};
      poll(&ready, 1, -1);
      c = 0;
      continue;
    }
    if (size <= 0) throw std::runtime_error("the server says no address");
    if (c != '\n') line += c;
  }
  return line;
}

}  // namespace interop
