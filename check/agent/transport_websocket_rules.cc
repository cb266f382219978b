// What a server does with a WebSocket.
#include "check/agent/transport_scenarios.h"
#include "check/agent/transport_websocket.h"

namespace acp::check {

namespace {

constexpr int protocol_error = 1002;

bool opened(TransportRun& run, const WebSocketClient& socket,
            std::initializer_list<std::string_view> ids) {
  if (socket.open()) return true;
  run.skip(ids, "no WebSocket could be opened: " + socket.reply().describe());
  return false;
}

// What comes before the answer to initialize with the id 1, which has been sent.
std::vector<Json> before_the_answer(WebSocketClient& socket) {
  std::vector<Json> before;
  while (const auto text = socket.receive_text()) {
    auto message = Json::parse(*text);
    if (!message) continue;
    if (message->view()["method"].absent() && message->view()["id"].as_int64() == 1) break;
    before.push_back(std::move(*message));
  }
  return before;
}

bool is_error(const Json& message, std::int64_t code) {
  return message["id"].is_null() && message["error"]["code"].as_int64() == code;
}

bool goes_on(const WebSocketClient& socket) {
  return !socket.close_code() && !socket.last_seen().starts_with("the connection");
}

std::string shown(const std::vector<Json>& messages) {
  if (messages.empty()) return "nothing";
  std::string text;
  for (const Json& each : messages) text += (text.empty() ? "" : ", ") + each.text().substr(0, 200);
  return text;
}

void check_before(TransportRun& run) {
  WebSocketClient odd(run.server);
  if (opened(run, odd, {"A-WS-7", "A-WS-10"})) {
    odd.send("{");
    odd.send(R"({"jsonrpc":"2.0","id":5,"result":{}})");
    odd.send(run.initialize(1));
    const std::vector<Json> seen = before_the_answer(odd);
    std::vector<Json> others;
    for (const Json& each : seen)
      if (!is_error(each, -32700)) others.push_back(each);
    run.report.expect("A-WS-7", others.size() < seen.size(), "\"{\" brought " + shown(seen));
    run.report.expect("A-WS-10", others.empty() && goes_on(odd),
                      "it brought " + (others.empty() ? odd.last_seen() : shown(others)));
  }
  const auto refused = [&](std::string_view id, const std::string& text) {
    WebSocketClient socket(run.server);
    if (!opened(run, socket, {id})) return;
    socket.send(text);
    socket.send(run.initialize(1));
    const std::vector<Json> seen = before_the_answer(socket);
    run.report.expect(id, seen.size() == 1 && is_error(seen.front(), -32600),
                      text.substr(0, 20) + " brought " + shown(seen));
  };
  refused("A-WS-8", "[" + run.request(no_such_method, Json::object()) + "]");
  refused("A-WS-9", "5");

  WebSocketClient binary(run.server);
  if (opened(run, binary, {"A-WS-13"})) {
    binary.send_frame(WebSocketClient::binary, run.initialize(7));
    binary.send(run.initialize(1));
    const std::vector<Json> seen = before_the_answer(binary);
    run.report.expect("A-WS-13", seen.empty() && goes_on(binary),
                      "it brought " + (seen.empty() ? binary.last_seen() : shown(seen)));
  }
  WebSocketClient parts(run.server);
  if (!opened(run, parts, {"A-WS-15"})) return;
  const std::string initialize = run.initialize(1);
  parts.send_frame(WebSocketClient::text, initialize.substr(0, 20), false);
  parts.send_frame(WebSocketClient::rest, initialize.substr(20));
  run.report.expect("A-WS-15", parts.answer_to(1).has_value(),
                    "initialize in two frames was followed by: " + parts.last_seen());
}

void check_first(TransportRun& run) {
  const auto closes = [&](std::string_view id, const std::string& message) {
    WebSocketClient socket(run.server);
    if (!opened(run, socket, {id})) return;
    socket.send(message);
    const auto text = socket.receive_text();
    run.report.expect(id, !text && socket.close_code() == protocol_error,
                      "it was followed by: " + socket.last_seen());
  };
  closes("A-WS-5", run.request(no_such_method, Json::object()));
  closes("A-WS-6", run.initialize(nullptr));
}

// After initialize.
void check_after(TransportRun& run, WebSocketClient& socket) {
  const auto answered = [&](const Json& params) {
    const std::int64_t number = run.next_id++;
    socket.send(run.request(no_such_method, params, number));
    return socket.answer_to(number).has_value();
  };
  run.report.expect(
      "A-WS-17",
      answered(Json::object()) && answered(Json::object({{"sessionId", "acp-check-one"}})),
      "a request was not answered: " + socket.last_seen());

  socket.send_frame(WebSocketClient::ping, "acp-check");
  std::optional<WebSocketClient::Received> frame;
  do {
    frame = socket.receive();
  } while (frame && frame->opcode != WebSocketClient::pong);
  run.report.expect("A-WS-14", frame && frame->payload == "acp-check",
                    "a ping was followed by: " + socket.last_seen());

  socket.send(run.initialize(2));
  const auto refused = socket.answer_to(2);
  run.report.expect("A-WS-11", refused && (*refused)["error"]["code"].as_int64() == -32600,
                    "it was followed by: " + socket.last_seen());
  run.report.expect("A-WS-12", answered(Json::object()),
                    "a request after it was not answered: " + socket.last_seen());
  if (socket.close_code()) return run.skip({"A-WS-16"}, "the server has closed the connection");

  socket.send_frame(WebSocketClient::close, std::string("\x03\xe8", 2));
  do {
    frame = socket.receive();
  } while (frame && frame->opcode != WebSocketClient::close);
  run.report.expect("A-WS-16", frame.has_value(), socket.last_seen());
}

}  // namespace

bool check_websocket(TransportRun& run) {
  WebSocketClient socket(run.server);
  const int status = socket.reply().status;
  const std::string seen = socket.reply().describe();
  if (status == 401 || status == 403 || status == 429) {
    run.report.give_up("the server lets nobody in: it answers " + seen);
    return false;
  }
  if (status != 101) {
    const bool none =
        status == 404 || status == 405 || status == 406 || status == 426 || status == 501;
    if (!none) run.report.fail("A-WS-1", "the upgrade was answered with " + seen);
    for (const Requirement& each : requirements())
      if (each.id.starts_with("A-WS-"))
        run.report.skip(each.id, "the server offers no WebSocket: it answers " + seen);
    return false;
  }
  run.report.expect(
      "A-WS-1", socket.accepted(),
      "Sec-WebSocket-Accept is \"" + socket.reply().header("sec-websocket-accept") + "\"");
  run.report.expect("A-WS-2", !socket.reply().header("acp-connection-id").empty(), "there is none");
  check_first(run);

  socket.send(run.initialize(1));
  const auto text = socket.receive_text();
  const auto answer = text ? Json::parse(*text) : Json::parse("{}");
  const bool good = answer && answer->view()["id"].as_int64() == 1;
  run.report.expect("A-WS-3", good, "it was followed by: " + socket.last_seen());
  if (!good) {
    run.skip({"A-WS-4", "A-WS-7", "A-WS-8", "A-WS-9", "A-WS-10", "A-WS-11", "A-WS-12", "A-WS-13",
              "A-WS-14", "A-WS-15", "A-WS-16", "A-WS-17"},
             "initialize was not answered");
    return true;
  }
  run.report.expect("A-WS-4", !text->ends_with('\n'), "it ends with one");
  check_after(run, socket);
  check_before(run);
  return true;
}

}  // namespace acp::check
