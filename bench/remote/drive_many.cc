// Many clients: idle ones, and ones whose sessions stream at a time.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/remote/drive.h"
#include "bench/remote/link.h"
#include "bench/wire/message.h"

namespace bench::remote {

using wire::Cores;
using wire::Failure;
using wire::now;

namespace {

constexpr int pause_ms = 50;  // between two updates of a session
constexpr int hosts = 8;      // addresses that connections come from

void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }

// Upgraded, and nothing said.
Samples idle(const Contestant& contestant, const Amounts& amounts) {
  ServerProcess server(contestant, Cores::free, "idle");
  server.child().begin("idle", 120);
  {
    const WebSocket first(server.port());  // what is there once belongs to no connection
  }
  wait_a_moment();
  const double before = server.child().resident_mb();
  std::vector<WebSocket> clients;
  for (int i = 0; i < amounts.idle; ++i) {
    clients.emplace_back(server.port(), 2 + i % hosts);
    clients.back().socket().shrink();
  }
  wait_a_moment();
  const double after = server.child().resident_mb();
  for (WebSocket& client : clients)
    if (client.receive_now() || client.socket().fill_now())
      throw Failure("the server said something");
  return {{"idle_kib", (after - before) * 1024 / amounts.idle}};
}

struct Client {
  WebSocket link;
  std::string session = {};
  int next = 0;
  bool ended = false;
};

std::int64_t nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// An update has its number and the time when it was made.
void look_at(std::string_view message, Client& client, std::vector<double>& latencies) {
  const std::string_view text = wire::text_of(message, "\"text\":\"");
  if (!text.empty()) {
    int number = -1;
    std::int64_t time = 0;
    const char* const end = text.data() + text.size();
    const char* at = std::from_chars(text.data(), end, number).ptr;
    if (at != end) std::from_chars(at + 1, end, time);
    if (number != client.next)
      throw Failure("update " + std::to_string(number) + " came in place of " +
                    std::to_string(client.next));
    ++client.next;
    latencies.push_back(static_cast<double>(nanoseconds() - time) * 1e-6);
  } else if (wire::has(message, "\"end_turn\"")) {
    client.ended = true;
  } else if (wire::method_of(message) != "session/update") {
    throw Failure("unexpected: " + std::string(message.substr(0, 200)));
  }
}

std::string answer(Client& client, int id, const std::string& method, const std::string& params) {
  client.link.send(request(id, method, params));
  std::string_view message;
  do message = client.link.receive();
  while (wire::id_of(message) != std::to_string(id));
  if (!wire::has(message, "\"result\":"))
    throw Failure(method + ": " + std::string(message.substr(0, 200)));
  return std::string(message);
}

Samples load(const Contestant& contestant, const Amounts& amounts) {
  ServerProcess server(contestant, Cores::free, "load");
  server.child().begin("load: clients connect", 60);
  const int updates = amounts.seconds * 1000 / pause_ms;
  const std::string text = "tick " + std::to_string(updates) + " " + std::to_string(pause_ms);
  std::deque<Client> clients;
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < amounts.clients; ++i) {
    Client& client = clients.emplace_back(Client{WebSocket(server.port(), 2 + i % hosts)});
    answer(client, 1, "initialize", initialize_params);
    client.session =
        wire::text_of(answer(client, 2, "session/new", new_session_params), "\"sessionId\":\"");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &client;
    epoll_ctl(poll, EPOLL_CTL_ADD, client.link.socket().descriptor(), &event);
  }
  server.child().begin("load", amounts.seconds + 60);
  std::vector<double> latencies;
  latencies.reserve(static_cast<std::size_t>(amounts.clients) * static_cast<std::size_t>(updates));
  const double cpu = server.child().cpu_seconds();
  for (Client& client : clients)
    client.link.send(request(3, "session/prompt", prompt_params(client.session, text)));
  std::size_t ended = 0;
  while (ended < clients.size()) {
    epoll_event events[64];
    const int count = epoll_wait(poll, events, 64, 30'000);
    if (count == 0) throw Failure("load: nothing came for 30 s");
    for (int i = 0; i < count; ++i) {
      Client& client = *static_cast<Client*>(events[i].data.ptr);
      client.link.socket().fill_now();
      while (const auto message = client.link.receive_now()) {
        look_at(*message, client, latencies);
        if (client.ended) break;
      }
      if (!client.ended) continue;
      ++ended;
      epoll_ctl(poll, EPOLL_CTL_DEL, client.link.socket().descriptor(), nullptr);
      if (client.next != updates)
        throw Failure("a turn had " + std::to_string(client.next) + " updates instead of " +
                      std::to_string(updates));
    }
  }
  close(poll);
  std::sort(latencies.begin(), latencies.end());
  const double used = server.child().cpu_seconds() - cpu;
  return {{"load_p50_ms", latencies[latencies.size() / 2]},
          {"load_p99_ms", latencies[latencies.size() * 99 / 100]},
          {"load_cpu_us", used * 1e6 / static_cast<double>(latencies.size())},
          {"load_mb", server.child().resident_mb()}};
}

}  // namespace

const std::vector<std::string>& many_clients_steps() {
  static const std::vector<std::string> steps = {"idle", "load"};
  return steps;
}

Samples drive_many_clients(const Contestant& contestant, const std::string& step,
                           const Amounts& amounts) {
  return step == "idle" ? idle(contestant, amounts) : load(contestant, amounts);
}

}  // namespace bench::remote
