#include "check/agent/transport.h"

#include <algorithm>
#include <system_error>

#include "check/agent/transport_scenarios.h"
#include "check/wire/wire_peer.h"

namespace acp::check {

namespace {

constexpr std::string_view http_area = "A-HTTP-", websocket_area = "A-WS-";

// 8-4-4-4-12 hexadecimal digits, of version 4.
bool is_random_uuid(std::string_view id) {
  if (id.size() != 36 || id[14] != '4' ||
      std::string_view("89abAB").find(id[19]) == std::string_view::npos)
    return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? id[i] != '-'
               : std::string_view("0123456789abcdefABCDEF").find(id[i]) == std::string_view::npos)
      return false;
  }
  return true;
}

void skip_area(Report& report, std::string_view area, const std::string& why) {
  for (const Requirement& requirement : requirements())
    if (requirement.id.starts_with(area)) report.skip(requirement.id, why);
}

bool wanted(const Report& report, std::string_view area) {
  return std::ranges::any_of(requirements(), [&](const Requirement& each) {
    return each.id.starts_with(area) && report.selected(each.id);
  });
}

// The first connection: the server is got to know. Nothing if there is none to go on with.
std::optional<HttpHeaders> begin(TransportRun& run) {
  const HttpReply reply = run.server.post(run.initialize(1));
  run.remember(reply);
  if (reply.status == 401 || reply.status == 403 || reply.status == 429) {
    run.report.give_up("the server lets nobody in: it answers " + reply.describe());
    return std::nullopt;
  }
  const auto answer = Json::parse(reply.body);
  run.report.expect("A-HTTP-1",
                    reply.status == 200 && reply.content_type() == "application/json" && answer &&
                        answer->view()["id"].as_int64() == 1 && !answer->view()["result"].absent(),
                    "initialize was answered with " + reply.describe());
  const std::string id = reply.header("acp-connection-id");
  run.report.expect("A-HTTP-2", reply.status != 200 || !id.empty(),
                    "the answer to initialize has no Acp-Connection-Id");
  if (reply.status != 200 || id.empty()) return std::nullopt;
  run.report.expect("A-HTTP-4", is_random_uuid(id), "the id is " + id);
  return HttpHeaders{{std::string(connection_header), id}};
}

// What else initialize is answered with.
void check_initialize(TransportRun& run, const HttpHeaders& connection) {
  for (const char* const id : {"", "\"id\":null,"}) {
    const HttpReply reply = run.server.post(
        R"({"jsonrpc":"2.0",)" + std::string(id) +
        R"("method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}})");
    run.remember(reply);
    // Without an id it is a notification: there are other words for that.
    run.expect("A-HTTP-5", "initialize with " + std::string(*id == 0 ? "no id" : "the id null"),
               reply, 400, *id == 0 ? "" : "Initialize request must include an ID");
  }
  run.expect("A-HTTP-6", "initialize on a connection that has been initialized",
             run.server.post(run.initialize(2), connection), 400,
             "Initialize not allowed on existing connection");

  const HttpReply refused = run.server.post(run.initialize(1, "x"));
  run.remember(refused);
  const auto answer = Json::parse(refused.body);
  if (answer && refused.status == 200 && answer->view()["error"].absent())
    run.report.skip("A-HTTP-7", "the agent takes a text for a protocol version");
  else
    run.expect("A-HTTP-7", "initialize with the protocol version \"x\"", refused, 200);

  const auto other = run.connect();
  if (!other) return run.skip({"A-HTTP-3"}, "a second connection was refused");
  run.report.expect("A-HTTP-3", *other != connection,
                    "two connections have the id " + other->begin()->second);
}

void check_http(TransportRun& run) {
  const auto connection = begin(run);
  if (!run.report.gave_up().empty()) return;
  if (!connection) return skip_area(run.report, http_area, "no connection could be opened");
  check_initialize(run, *connection);
  check_http_posts(run, *connection);
  check_http_streams(run, *connection);
  check_http_end(run);
}

// A server may offer WebSocket alone.
bool has_http(TransportRun& run) {
  const HttpReply reply = run.server.post(run.initialize(1));
  run.remember(reply);
  for (const int status : {404, 405, 426, 501})
    if (reply.status == status) return false;
  return true;
}

}  // namespace

// ---- for the scenarios

std::string TransportRun::request(std::string_view method, const Json& params, std::int64_t id) {
  return Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}})
      .text();
}

std::string TransportRun::initialize(const Json& id, const Json& version) const {
  return Json::object({{"jsonrpc", "2.0"},
                       {"id", id},
                       {"method", "initialize"},
                       {"params",
                        Json::object({{"protocolVersion", version},
                                      {"clientCapabilities", Json::object()},
                                      {"clientInfo",
                                       Json::object({{"name", "acp-check"}, {"version", "1"}})}})}})
      .text();
}

void TransportRun::remember(const HttpReply& reply) {
  if (const std::string id = reply.header("acp-connection-id"); !id.empty())
    connections.push_back(id);
}

std::optional<HttpHeaders> TransportRun::connect() {
  const HttpReply reply = server.post(initialize(1));
  remember(reply);
  const std::string id = reply.header("acp-connection-id");
  if (reply.status != 200 || id.empty()) return std::nullopt;
  return HttpHeaders{{std::string(connection_header), id}};
}

bool TransportRun::expect(std::string_view id, const std::string& what, const HttpReply& reply,
                          int status, std::string_view text) {
  const std::string seen = what + " was answered with " + reply.describe();
  report.expect(id, reply.status == status, seen);
  if (reply.status == status && !text.empty())
    report.expect("A-HTTP-47", reply.body.starts_with(text),
                  seen + " and not with \"" + std::string(text) + "\"");
  return reply.status == status;
}

void TransportRun::skip(std::initializer_list<std::string_view> ids, const std::string& why) {
  for (const std::string_view id : ids) report.skip(id, why);
}

HttpHeaders with(HttpHeaders headers, std::string_view name, const std::string& value) {
  headers[std::string(name)] = value;
  return headers;
}

bool accepted(const HttpReply& reply) { return reply.status == 202 && reply.body.empty(); }

// ----

bool is_transport_requirement(const Requirement& requirement) {
  return requirement.id.starts_with(http_area) || requirement.id.starts_with(websocket_area);
}

std::string check_transport(const TransportCheckOptions& options, Report& report) {
  TransportRun run{
      options, report, {http::parts_of(options.url), options.headers, options.timeout}};
  if (run.server.url.secure()) {
    const std::string why =
        "this is checked without TLS: run it against the http:// address that the proxy passes "
        "requests to";
    skip_area(report, http_area, why);
    skip_area(report, websocket_area, why);
    return why;
  }
  try {
    const bool websocket = wanted(report, websocket_area) ? check_websocket(run) : false;
    if (!report.gave_up().empty()) return {};
    if (wanted(report, http_area)) {
      if (websocket && !has_http(run))
        skip_area(report, http_area, "the server offers WebSocket alone");
      else
        check_http(run);
    }
    // The agents of these connections end.
    for (const std::string& id : run.connections)
      run.server.ask("DELETE", {{std::string(connection_header), id}});
  } catch (const std::system_error& failed) {
    throw PeerNotStarted(std::string("the server cannot be reached: ") + failed.what());
  }
  return {};
}

}  // namespace acp::check
