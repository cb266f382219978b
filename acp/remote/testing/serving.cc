#include "acp/remote/testing/serving.h"

#include <sys/socket.h>

#include <thread>

#include "acp/client.h"

namespace acp::remote::testing {

std::string request(const std::string& line, const std::string& headers, const std::string& body) {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body;
}

std::string post(const std::string& body, const std::string& headers) {
  return request("POST /acp", "Content-Type: application/json\r\n" + headers, body);
}

Serving::Serving() {
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const std::string text = turn.text();
    co_await turn.say(text);
    co_return StopReason::end_turn;
  });
}

void Serving::start() {
  options.access_log = [this](const Access& access) {
    std::lock_guard lock(mutex);
    log.push_back(access);
  };
  server.emplace(options);
  server->start(agent);
}

std::string Serving::answer(const std::string& bytes) {
  RawSocket socket(server->port());
  socket.send(bytes);
  shutdown(socket.native(), SHUT_WR);
  return socket.read_to_end();
}

std::string Serving::url(const std::string& scheme) const {
  std::string text = server->url();
  return text.replace(0, 4, scheme);
}

void Serving::expect_service(const UrlOptions& how) {
  for (const char* scheme : {"http", "ws"}) {
    Client client("test", "1");
    const AgentHandle handle = client.connect(remote::url(url(scheme), how)).wait();
    const Session session = handle.new_session("/").wait();
    EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
  }
}

std::string Serving::connect(RawSocket& socket, const std::string& headers) {
  socket.send(post(initialize, headers));
  const std::string head = socket.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(head), 200) << head;
  const std::size_t at = head.find("Acp-Connection-Id: ");
  if (at == std::string::npos) return "";
  return head.substr(at, head.find("\r\n", at) + 2 - at);
}

void Serving::wait_until_idle() {
  while (server->counts().sockets != 0 || server->counts().connections != 0)
    std::this_thread::yield();
}

}  // namespace acp::remote::testing
