// What each POST is answered with, the end of a connection, and other verbs.
#include "check/agent/transport_scenarios.h"

namespace acp::check {

namespace {

constexpr std::size_t sixteen_mebibytes = 16 * 1024 * 1024;
constexpr std::size_t longest_id = 1024;

void check_bodies(TransportRun& run, const HttpHeaders& connection) {
  const std::string initialize = run.initialize(1);
  for (const char* const type : {"", "text/plain"}) {
    HttpHeaders headers;
    if (*type != 0) headers["Content-Type"] = type;
    const HttpReply reply = run.server.ask("POST", headers, initialize);
    run.remember(reply);
    run.expect("A-HTTP-8",
               *type == 0 ? "POST without a Content-Type" : "POST of " + std::string(type), reply,
               415, "Unsupported Media Type");
  }
  const HttpReply loud =
      run.server.post(run.request(no_such_method, Json::object()),
                      with(connection, "Content-Type", "Application/JSON ; charset=utf-8"));
  run.expect("A-HTTP-9", "POST of \"Application/JSON ; charset=utf-8\"", loud, 202);

  run.expect("A-HTTP-10", "POST of \"{\"", run.server.post("{", connection), 400, "Invalid JSON");
  for (const char* const scalar : {"5", "null"})
    run.expect("A-HTTP-11", std::string("POST of ") + scalar, run.server.post(scalar, connection),
               400, "Invalid JSON-RPC message");
  const HttpReply batch =
      run.server.post("[" + run.request(no_such_method, Json::object()) + "]", connection);
  const auto error = Json::parse(batch.body);
  run.report.expect("A-HTTP-12",
                    batch.status == 400 && error && error->view()["id"].is_null() &&
                        error->view()["error"]["code"].as_int64() == -32600,
                    "a batch was answered with " + batch.describe());

  const std::string huge = run.request(
      no_such_method, Json::object({{"text", std::string(sixteen_mebibytes + 1024, 'x')}}));
  const HttpReply large = run.server.post(huge, connection);
  // A server may close the connection before it has all of it, and its answer is lost with that.
  run.report.expect(
      "A-HTTP-13",
      large.status == 413 || (large.status == 0 && large.problem == "the connection was closed"),
      "17 MiB were answered with " + large.describe());

  const auto with_id = [&](std::size_t size) {
    const Json id = std::string(size, 'x');
    return run.server.post(Json::object({{"jsonrpc", "2.0"},
                                         {"id", id},
                                         {"method", no_such_method},
                                         {"params", Json::object()}})
                               .text(),
                           connection);
  };
  run.expect("A-HTTP-14", "an id of 1025 characters", with_id(longest_id + 1), 400);
}

void check_headers(TransportRun& run, const HttpHeaders& connection) {
  const std::string plain = run.request(no_such_method, Json::object());
  run.expect("A-HTTP-15", "POST without Acp-Connection-Id", run.server.post(plain), 400,
             "Missing Acp-Connection-Id");
  run.expect("A-HTTP-16", "POST with an unknown Acp-Connection-Id",
             run.server.post(plain, {{std::string(connection_header), "acp-check-nobody"}}), 404,
             "Unknown Acp-Connection-Id");
  const std::string notification = R"({"jsonrpc":"2.0","method":"_acp_check/nothing","params":{}})";
  for (const std::string& message : {plain, notification}) {
    const HttpReply reply = run.server.post(message, connection);
    run.report.expect("A-HTTP-17", accepted(reply),
                      (message == plain ? "a request" : "a notification") +
                          std::string(" was answered with ") + reply.describe());
  }

  for (const char* const method : {"cancel", "close", "delete", "fork", "load", "prompt", "resume",
                                   "set_config_option", "set_mode", "set_model"}) {
    const std::string name = "session/" + std::string(method);
    run.expect("A-HTTP-18", name + " without Acp-Session-Id",
               run.server.post(run.request(name, Json::object()), connection), 400,
               "Missing Acp-Session-Id");
  }
  const std::string of_session =
      run.request(no_such_method, Json::object({{"sessionId", "acp-check-one"}}));
  run.expect("A-HTTP-19", "a message of a session without Acp-Session-Id",
             run.server.post(of_session, connection), 400, "Missing Acp-Session-Id");
  run.expect("A-HTTP-20", "a message with another Acp-Session-Id",
             run.server.post(of_session, with(connection, session_header, "acp-check-two")), 400,
             "Mismatched Acp-Session-Id");
}

}  // namespace

void check_http_posts(TransportRun& run, const HttpHeaders& connection) {
  check_bodies(run, connection);
  check_headers(run, connection);
  for (const char* const verb : {"PUT", "PATCH"})
    run.expect("A-HTTP-46", verb, run.server.ask(verb, connection, "{}"), 405);
}

void check_http_end(TransportRun& run) {
  const HttpHeaders nobody = {{std::string(connection_header), "acp-check-nobody"}};
  run.expect("A-HTTP-41", "DELETE without Acp-Connection-Id", run.server.ask("DELETE", {}), 400,
             "Missing Acp-Connection-Id");
  run.expect("A-HTTP-42", "DELETE with an unknown Acp-Connection-Id",
             run.server.ask("DELETE", nobody), 404, "Unknown Acp-Connection-Id");
  const auto connection = run.connect();
  if (!connection) {
    return run.skip({"A-HTTP-43", "A-HTTP-44", "A-HTTP-45"}, "no connection could be opened");
  }
  EventReader stream(run.server, *connection);
  const HttpReply gone = run.server.ask("DELETE", *connection);
  run.report.expect("A-HTTP-43", accepted(gone), "DELETE was answered with " + gone.describe());
  run.connections.pop_back();
  if (gone.status / 100 != 2)
    return run.skip({"A-HTTP-44", "A-HTTP-45"}, "the connection could not be deleted");
  run.expect("A-HTTP-44", "POST after DELETE",
             run.server.post(run.request(no_such_method, Json::object()), *connection), 404);
  run.expect("A-HTTP-44", "DELETE after DELETE", run.server.ask("DELETE", *connection), 404);
  if (!stream.open()) return run.skip({"A-HTTP-45"}, "no stream could be opened");
  run.report.expect("A-HTTP-45", stream.wait_end(run.server.deadline()),
                    "the connection's stream goes on after DELETE");
}

}  // namespace acp::check
