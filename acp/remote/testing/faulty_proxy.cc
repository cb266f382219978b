#include "acp/remote/testing/faulty_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "acp/remote/testing/raw_socket.h"

namespace acp::remote::testing {

namespace {
// Splitting everything into such pieces, for so long, takes no time that counts.
constexpr std::size_t tiny_piece = 3, split_bytes = 2'000;
constexpr auto delay_time = std::chrono::milliseconds(100);
}  // namespace

std::string Fault::text() const {
  constexpr const char* names[] = {"cut", "reset", "stall", "split", "delay"};
  return std::string(names[kind]) + " at byte " + std::to_string(at) +
         (to_client ? " to the client" : " to the server");
}

struct FaultyProxy::Pair {
  io::Descriptor ends[2];  // the client's, the server's
  bool stalled = false, gone = false;
  std::size_t splits = 0;  // bytes that still go in tiny pieces
  std::chrono::steady_clock::time_point waits_until = {};
};

FaultyProxy::FaultyProxy(std::uint16_t server, Fault fault)
    : server_(server), fault_(fault), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  int pipe[2];
  if (bind(listener_.get(), any, size) != 0 || listen(listener_.get(), 100) != 0 ||
      getsockname(listener_.get(), any, &size) != 0 || pipe2(pipe, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(address.sin_port);
  woken_ = io::Descriptor(pipe[0]);
  wakes_ = io::Descriptor(pipe[1]);
  thread_ = std::thread([this] { run(); });
}

FaultyProxy::~FaultyProxy() {
  wakes_.reset();
  thread_.join();
}

void FaultyProxy::accept_one() {
  auto pair = std::make_unique<Pair>();
  pair->ends[0] = io::Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  pair->ends[1] = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(pair->ends[1].get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return;
  const int on = 1;
  for (const io::Descriptor& end : pair->ends)
    setsockopt(end.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  pairs_.push_back(std::move(pair));
}

void FaultyProxy::strike(Pair& pair) {
  reached_ = true;
  switch (fault_.kind) {
    case Fault::cut:
      pair.gone = true;
      break;
    case Fault::reset:
      for (const io::Descriptor& end : pair.ends) {
        const linger at_once{1, 0};
        setsockopt(end.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      }
      pair.gone = true;
      break;
    case Fault::stall:
      pair.stalled = true;
      break;
    case Fault::split:
      pair.splits = split_bytes;
      break;
    case Fault::delay:
      pair.waits_until = std::chrono::steady_clock::now() + delay_time;
      break;
  }
}

void FaultyProxy::pass_on(Pair& pair, bool to_client) {
  char buffer[16 * 1024];
  std::size_t most = sizeof buffer;
  const bool counts = to_client == fault_.to_client;
  if (counts && !reached_) most = std::min(most, fault_.at - passed_);
  if (pair.splits > 0) most = std::min(most, tiny_piece);
  const ssize_t size = recv(pair.ends[to_client ? 1 : 0].get(), buffer, most, 0);
  if (size <= 0) {
    pair.gone = true;
    return;
  }
  const auto bytes = static_cast<std::size_t>(size);
  for (std::size_t sent = 0; sent < bytes;) {
    const ssize_t part =
        ::send(pair.ends[to_client ? 0 : 1].get(), buffer + sent, bytes - sent, MSG_NOSIGNAL);
    if (part < 0) {
      pair.gone = true;
      return;
    }
    sent += static_cast<std::size_t>(part);
  }
  pair.splits -= std::min(pair.splits, bytes);
  if (!counts) return;
  passed_ += bytes;
  if (!reached_ && passed_ >= fault_.at) strike(pair);
}

void FaultyProxy::forget_all() {
  forgets_ = true;
  if (write(wakes_.get(), "", 1) != 1) throw std::runtime_error("cannot wake the proxy");
  forgets_.wait(true);
}

bool FaultyProxy::wake() {
  char byte;
  if (read(woken_.get(), &byte, 1) != 1) return false;
  for (const auto& pair : pairs_) {
    for (const io::Descriptor& end : pair->ends) stop_taking(end.get());
    pair->stalled = true;
  }
  forgets_ = false;
  forgets_.notify_all();
  return true;
}

void FaultyProxy::run() {
  while (true) {
    std::vector<pollfd> waits{{woken_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    const auto now = std::chrono::steady_clock::now();
    bool delays = false;
    for (const auto& pair : pairs_) {
      const bool waits_now = pair->waits_until > now;
      delays = delays || waits_now;
      const short events = pair->stalled || waits_now ? 0 : POLLIN;
      // A stalled one is looked at no more: even its end is not passed on.
      for (const io::Descriptor& end : pair->ends)
        waits.push_back({events != 0 ? end.get() : -1, events, 0});
    }
    poll(waits.data(), waits.size(), delays ? 10 : -1);
    if (waits[0].revents != 0) {
      if (!wake()) return pairs_.clear();
      continue;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      for (const int end : {0, 1})
        if (waits[2 + 2 * i + static_cast<std::size_t>(end)].revents != 0 && !pairs_[i]->gone &&
            !pairs_[i]->stalled)
          pass_on(*pairs_[i], end == 1);
    std::erase_if(pairs_, [](const auto& pair) { return pair->gone; });
    if (waits[1].revents != 0) accept_one();
  }
}

}  // namespace acp::remote::testing
