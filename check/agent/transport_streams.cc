// Streams of events, and which message comes on which.
#include <memory>
#include <thread>

#include "check/agent/transport_scenarios.h"

namespace acp::check {

namespace {

// Of sessions that nobody has: their streams are streams all the same.
constexpr const char *one = "acp-check-one", *two = "acp-check-two", *three = "acp-check-three";
constexpr auto between_tries = std::chrono::milliseconds(20);

Json of_session(const std::string& id) { return Json::object({{"sessionId", id}}); }

// Which of the readers brings the answer to this request, which is posted now.
EventReader* answered_on(TransportRun& run, const std::string& message, std::int64_t id,
                         const HttpHeaders& headers, const std::vector<EventReader*>& readers) {
  if (run.server.post(message, headers).status != 202) return nullptr;
  return EventReader::wait(
      readers,
      [&](EventReader&, const Json& seen) {
        return seen["method"].absent() && seen["id"].as_int64() == id;
      },
      run.server.deadline());
}

struct Streams {
  EventReader &connection, &first;
  std::vector<EventReader*> all;

  std::string name(const EventReader* reader) const {
    if (reader == nullptr) return "on none of the streams";
    if (reader == &connection) return "on the connection's stream";
    return reader == &first ? "on the session's stream" : "on the stream of another session";
  }
};

void check_routes(TransportRun& run, const HttpHeaders& connection, const Streams& streams) {
  const auto route = [&](std::string_view id, std::string_view method, const Json& params,
                         const HttpHeaders& headers, const EventReader& wanted) {
    const std::int64_t number = run.next_id++;
    const EventReader* const found =
        answered_on(run, run.request(method, params, number), number, headers, streams.all);
    run.report.expect(id, found == &wanted,
                      "the answer to " + std::string(method) + " came " + streams.name(found));
  };
  const HttpHeaders session = with(connection, session_header, one);
  route("A-HTTP-34", no_such_method, Json::object(), connection, streams.connection);
  if (!streams.first.open())
    return run.skip({"A-HTTP-36", "A-HTTP-38"}, "the stream of a session could not be opened");
  route("A-HTTP-36", no_such_method, of_session(one), session, streams.first);
  route("A-HTTP-36", "session/resume",
        Json::object({{"sessionId", one}, {"cwd", run.options.cwd}, {"mcpServers", Json::array()}}),
        session, streams.first);
  route("A-HTTP-38", "session/load",
        Json::object({{"sessionId", one}, {"cwd", run.options.cwd}, {"mcpServers", Json::array()}}),
        session, streams.connection);
}

// The answer waits for its stream.
void check_kept(TransportRun& run, const HttpHeaders& connection, EventReader& stream) {
  const HttpHeaders session = with(connection, session_header, three);
  const std::int64_t early = run.next_id++;
  const HttpReply posted =
      run.server.post(run.request(no_such_method, of_session(three), early), session);
  if (posted.status != 202) return run.skip({"A-HTTP-39"}, "the request was not accepted");
  // When this one has been answered the other one has been, too.
  const std::int64_t late = run.next_id++;
  answered_on(run, run.request(no_such_method, Json::object(), late), late, connection, {&stream});
  EventReader opened(run.server, session);
  if (!opened.open()) return run.skip({"A-HTTP-39"}, "the stream could not be opened");
  const auto* const found = EventReader::wait(
      {&opened}, [&](EventReader&, const Json& seen) { return seen["id"].as_int64() == early; },
      run.server.deadline());
  run.report.expect("A-HTTP-39", found != nullptr,
                    "an answer that came before the stream was opened is not on it");
}

void check_apart(TransportRun& run, const HttpHeaders& connection, EventReader& stream) {
  const auto other = run.connect();
  if (!other) return run.skip({"A-HTTP-40"}, "a second connection was refused");
  EventReader others(run.server, *other);
  if (!others.open()) return run.skip({"A-HTTP-40"}, "its stream could not be opened");
  const std::int64_t ours = run.next_id++, theirs = run.next_id++;
  answered_on(run, run.request(no_such_method, Json::object(), ours), ours, connection, {&stream});
  bool mixed = false;
  if (run.server.post(run.request(no_such_method, Json::object(), theirs), *other).status == 202)
    EventReader::wait(
        {&others},
        [&](EventReader&, const Json& seen) {
          mixed = mixed || seen["id"].as_int64() == ours;
          return seen["id"].as_int64() == theirs;
        },
        run.server.deadline());
  run.report.expect("A-HTTP-40", !mixed, "the answer came on another connection's stream, too");
}

// The server needs a moment to see that a reader has gone.
void check_reopened(TransportRun& run, const HttpHeaders& session,
                    std::unique_ptr<EventReader> reader) {
  reader.reset();
  const auto deadline = run.server.deadline();
  std::string seen;
  do {
    const EventReader again(run.server, session);
    if (again.open()) return run.report.pass("A-HTTP-32");
    seen = again.reply().describe();
    std::this_thread::sleep_for(between_tries);
  } while (std::chrono::steady_clock::now() < deadline);
  run.report.fail("A-HTTP-32", "after its reader had gone, GET was answered with " + seen);
}

void check_refusals(TransportRun& run, const HttpHeaders& connection) {
  const HttpHeaders events = {{"Accept", "text/event-stream"}};
  run.expect("A-HTTP-24", "GET that accepts text/html",
             run.server.ask("GET", with(connection, "Accept", "text/html")), 406);
  run.expect("A-HTTP-25", "GET without Acp-Connection-Id", run.server.ask("GET", events), 400,
             "Missing Acp-Connection-Id");
  run.expect("A-HTTP-26", "GET with an unknown Acp-Connection-Id",
             run.server.ask("GET", with(events, connection_header, "acp-check-nobody")), 404,
             "Unknown Acp-Connection-Id");
}

}  // namespace

void check_http_streams(TransportRun& run, const HttpHeaders& connection) {
  check_refusals(run, connection);
  EventReader stream(run.server, connection);
  const auto none = [&](const EventReader& reader) {
    if (reader.late())
      run.report.fail("A-HTTP-29", "GET of a stream was not answered in time");
    else
      run.report.fail("A-HTTP-27", "GET was answered with " + reader.reply().describe());
    run.skip({"A-HTTP-28", "A-HTTP-30", "A-HTTP-31", "A-HTTP-32", "A-HTTP-33", "A-HTTP-34",
              "A-HTTP-35", "A-HTTP-36", "A-HTTP-37", "A-HTTP-38", "A-HTTP-39", "A-HTTP-40"},
             "no stream could be opened");
  };
  if (!stream.open()) return none(stream);
  run.report.expect("A-HTTP-27", stream.reply().content_type() == "text/event-stream",
                    "GET was answered with " + stream.reply().describe());
  const std::string cache = stream.reply().header("cache-control");
  run.report.expect("A-HTTP-28", cache.find("no-cache") != std::string::npos,
                    "Cache-Control is \"" + cache + "\"");

  const HttpHeaders session = with(connection, session_header, one);
  EventReader first(run.server, session);
  // Nothing has been said in this session: only here a server can be seen to wait for an event.
  if (first.late()) return none(first);
  run.report.pass("A-HTTP-29");
  run.report.expect("A-HTTP-31", first.open(),
                    "GET of an unknown session was answered with " + first.reply().describe());
  auto second = std::make_unique<EventReader>(run.server, with(connection, session_header, two));
  const auto twice = [&](const char* what, const HttpHeaders& headers) {
    run.expect("A-HTTP-30", std::string("a second GET of ") + what,
               EventReader(run.server, headers).reply(), 409,
               "Outbound stream already has an active receiver");
  };
  twice("the connection's stream", connection);
  if (first.open()) twice("a session's stream", session);

  check_routes(run, connection, {stream, first, {&stream, &first, second.get()}});
  check_kept(run, connection, stream);
  check_apart(run, connection, stream);
  check_http_session(run, connection, stream);
  if (second->open())
    check_reopened(run, with(connection, session_header, two), std::move(second));
  else
    run.skip({"A-HTTP-32"}, "the stream of a session could not be opened");

  bool all = true;
  for (const EventReader* const each : {&stream, &first})
    for (const std::string& text : each->malformed()) {
      run.report.fail("A-HTTP-33", "an event has the data " + text.substr(0, 200));
      all = false;
    }
  if (all) run.report.pass("A-HTTP-33");
}

}  // namespace acp::check
