#include "acp/testing/raw_end.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

namespace acp::testing {

struct Within::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread;
};

Within::Within(std::string what, int milliseconds) : state_(new State) {
  state_->thread = std::thread([state = state_, what = std::move(what), milliseconds] {
    std::unique_lock lock(state->mutex);
    if (state->changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                [&] { return state->over; }))
      return;
    std::fprintf(stderr, "waited %d ms, in vain: %s\n", milliseconds, what.c_str());
    std::fflush(stderr);
    std::abort();
  });
}

Within::~Within() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->over = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
  delete state_;
}

std::string request(std::string_view id, std::string_view method, std::string_view params) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + ",\"method\":\"" + std::string(method) +
         "\",\"params\":" + std::string(params) + "}";
}

bool RawEnd::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t size = ::send(output(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == ENOTSOCK) size = ::write(output(), bytes.data(), bytes.size());
    if (size > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return false;
    pollfd set{output(), POLLOUT, 0};
    if (poll(&set, 1, patience) == 0) {
      ADD_FAILURE() << "nobody read what was sent";
      return false;
    }
  }
  return true;
}

std::string RawEnd::read_line() {
  while (true) {
    const std::size_t at = buffer_.find('\n', searched_);
    if (at != std::string::npos) {
      std::string line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      searched_ = 0;
      return line;
    }
    searched_ = buffer_.size();
    if (ended_) return "(end)";
    pollfd set{in_.get(), POLLIN, 0};
    if (poll(&set, 1, patience) == 0) return "(nothing)";
    char chunk[64 * 1024];
    const ssize_t size = ::read(in_.get(), chunk, sizeof chunk);
    if (size > 0)
      buffer_.append(chunk, static_cast<std::size_t>(size));
    else if (size == 0 || (errno != EAGAIN && errno != EINTR))
      ended_ = true;
  }
}

const Json& RawEnd::read() {
  const std::string line = read_line();
  auto parsed = Json::parse(line);
  if (!parsed.ok()) {
    ADD_FAILURE() << "expected a message, got: " << line.substr(0, 200);
    return last_ = Json(nullptr);
  }
  seen_.push_back(line);
  return last_ = std::move(*parsed);
}

const Json& RawEnd::read_answer(std::string_view id) {
  while (true) {
    const Json& message = read();
    if (message.is_null()) return message;
    if (message["id"].text() == id && message["method"].absent()) return message;
  }
}

const Json& RawEnd::read_call(std::string_view method) {
  while (true) {
    const Json& message = read();
    if (message.is_null() || message["method"].as_string() == method) return message;
  }
}

bool RawEnd::read_to_end() {
  while (true) {
    const std::string line = read_line();
    if (line == "(end)") return true;
    if (line == "(nothing)") return false;
    seen_.push_back(line);
  }
}

void RawEnd::initialize(std::string_view capabilities) {
  line(
      "{\"jsonrpc\":\"2.0\",\"id\":\"init\",\"method\":\"initialize\",\"params\":{"
      "\"protocolVersion\":1,"
      "\"clientCapabilities\":" +
      std::string(capabilities) + "}}");
  const Json answer = read_answer("\"init\"");
  EXPECT_EQ(answer["result"]["protocolVersion"].as_int64(), 1) << answer.text();
}

std::string RawEnd::new_session() {
  line(
      "{\"jsonrpc\":\"2.0\",\"id\":\"new\",\"method\":\"session/new\",\"params\":{\"cwd\":\"/\","
      "\"mcpServers\":[]}}");
  const Json answer = read_answer("\"new\"");
  EXPECT_TRUE(answer["result"]["sessionId"].is_string()) << answer.text();
  return answer["result"]["sessionId"].as_string().value_or("");
}

void RawEnd::prompt(std::string_view id, const std::string& session, std::string_view text) {
  line("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) +
       ",\"method\":\"session/prompt\",\"params\":{\"sessionId\":" + Json(session).text() +
       ",\"prompt\":[{\"type\":\"text\",\"text\":" + Json(text).text() + "}]}}");
}

void RawEnd::answer(JsonView request, std::string_view result) {
  line("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(request["id"].text()) +
       ",\"result\":" + std::string(result) + "}");
}

void RawEnd::welcome(std::string_view session) {
  const Json hello = read_call("initialize");
  answer(hello, "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
  const Json open = read_call("session/new");
  answer(open, "{\"sessionId\":" + Json(session).text() + "}");
}

void RawEnd::say(std::string_view session, std::string_view text) {
  line("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":" +
       Json(session).text() +
       ",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
       "\"text\":" +
       Json(text).text() + "}}}}");
}

void RawEnd::shut_output() {
  if (out_)
    out_.reset();
  else
    shutdown(in_.get(), SHUT_WR);
}

long memory_of(const std::string& field, int pid) {
  std::ifstream file("/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field + ":")) return std::atol(line.c_str() + field.size() + 1);
  return -1;
}

int open_descriptors() {
  int count = 0;
  DIR* const directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count - 3;  // `.`, `..`, and the directory itself
}

}  // namespace acp::testing
