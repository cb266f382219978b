// Of a server that offers an agent over HTTP and WebSocket. What the official SDK's server and the
// one in Rust both do is a must; where they differ, or the RFC says otherwise, it is a should.
#include "check/rules/requirement_lists.h"

namespace acp::check {
namespace {

constexpr Requirement transport(std::string_view id, Level level, std::string_view sentence) {
  return {id, Side::agent, level, sentence,
          "https://agentclientprotocol.com/rfds/streamable-http-websocket-transport"};
}

constexpr Requirement transport_list[] = {
    // initialize
    transport(
        "A-HTTP-1", Level::must,
        "POST of initialize is answered with 200 and, as application/json, the agent's answer."),
    transport("A-HTTP-2", Level::must, "That answer has the header Acp-Connection-Id."),
    transport("A-HTTP-3", Level::must, "Every connection has an id of its own."),
    transport("A-HTTP-4", Level::should,
              "The id is a random UUID (version 4), which nobody can guess."),
    transport("A-HTTP-5", Level::must,
              "POST of initialize without an id, or with null, is answered with 400."),
    transport("A-HTTP-6", Level::must,
              "POST of initialize on an existing connection is answered with 400."),
    transport("A-HTTP-7", Level::must,
              "The status is 200 too when the agent refuses to initialize."),

    // POST
    transport("A-HTTP-8", Level::must,
              "POST with a Content-Type other than application/json is answered with 415."),
    transport("A-HTTP-9", Level::should,
              "The Content-Type may have capital letters and parameters."),
    transport("A-HTTP-10", Level::must, "POST of what is not JSON is answered with 400."),
    transport("A-HTTP-11", Level::must,
              "POST of JSON that is neither an object nor an array gets 400."),
    transport("A-HTTP-12", Level::should,
              "POST of a batch is answered with 400 and a JSON-RPC error -32600 with the id null."),
    transport("A-HTTP-13", Level::should, "POST of more than 16 MiB is answered with 413."),
    transport("A-HTTP-14", Level::should,
              "A request's id of more than 1024 characters is answered with 400."),
    transport("A-HTTP-15", Level::must, "POST without Acp-Connection-Id is answered with 400."),
    transport("A-HTTP-16", Level::must,
              "POST with an unknown Acp-Connection-Id is answered with 404."),
    transport("A-HTTP-17", Level::must,
              "A request or notification that is accepted gets 202 with no body."),
    transport("A-HTTP-18", Level::should,
              "POST of a session's method without Acp-Session-Id gets 400."),
    transport("A-HTTP-19", Level::should,
              "POST of any other message with params.sessionId but no Acp-Session-Id gets 400."),
    transport("A-HTTP-20", Level::must,
              "An Acp-Session-Id other than params.sessionId is answered with 400."),
    transport("A-HTTP-21", Level::should,
              "The answer to an agent's request of a session gets 400 without Acp-Session-Id."),
    transport("A-HTTP-22", Level::should, "… and with the Acp-Session-Id of another session."),
    transport("A-HTTP-23", Level::must, "With the right one it gets 202, and the turn goes on."),

    // GET
    transport("A-HTTP-24", Level::must,
              "GET that does not accept text/event-stream is answered with 406."),
    transport("A-HTTP-25", Level::must, "GET without Acp-Connection-Id is answered with 400."),
    transport("A-HTTP-26", Level::must,
              "GET with an unknown Acp-Connection-Id is answered with 404."),
    transport("A-HTTP-27", Level::must,
              "GET of a stream is answered with 200 and text/event-stream."),
    transport("A-HTTP-28", Level::must, "… with Cache-Control: no-cache."),
    transport("A-HTTP-29", Level::must,
              "… and its headers come at once, before there is an event."),
    transport("A-HTTP-30", Level::must,
              "A stream that has a reader is refused to a second one with 409."),
    transport("A-HTTP-31", Level::should,
              "GET with a session id that is not known yet opens a stream, too."),
    transport("A-HTTP-32", Level::should,
              "When a stream's reader has gone another one may open it."),
    transport("A-HTTP-33", Level::must, "The data of every event is one JSON-RPC message."),

    // routes
    transport("A-HTTP-34", Level::must,
              "The answer to a request without a session comes on the connection's stream."),
    transport("A-HTTP-35", Level::must,
              "The answer to session/new comes on the connection's stream."),
    transport("A-HTTP-36", Level::must,
              "The answer to a session's request comes on the session's stream."),
    transport("A-HTTP-37", Level::must, "The updates of a session come on the session's stream."),
    transport("A-HTTP-38", Level::should,
              "The answer to session/load comes on the connection's stream."),
    transport("A-HTTP-39", Level::must,
              "Messages for a session are kept until its stream is opened."),
    transport("A-HTTP-40", Level::must, "A connection gets nothing of another one's."),

    // DELETE and the rest
    transport("A-HTTP-41", Level::must, "DELETE without Acp-Connection-Id is answered with 400."),
    transport("A-HTTP-42", Level::must,
              "DELETE with an unknown Acp-Connection-Id is answered with 404."),
    transport("A-HTTP-43", Level::must, "DELETE of a connection is answered with 202 and no body."),
    transport("A-HTTP-44", Level::must, "After DELETE the connection's id is unknown: 404."),
    transport("A-HTTP-45", Level::must, "DELETE ends the connection's streams."),
    transport("A-HTTP-46", Level::must, "Other verbs (PUT, PATCH) are answered with 405."),
    transport("A-HTTP-47", Level::should,
              "What is refused is explained in the words of the official SDK."),

    transport("A-WS-1", Level::must,
              "GET with Upgrade: websocket is answered with 101 and the right key."),
    transport("A-WS-2", Level::must, "That answer has the header Acp-Connection-Id."),
    transport("A-WS-3", Level::must,
              "initialize is answered with one JSON-RPC object in a text frame."),
    transport("A-WS-4", Level::should, "A message has no newline at its end."),
    transport("A-WS-5", Level::should,
              "A first message other than initialize closes the connection with code 1002."),
    transport("A-WS-6", Level::should, "… and so does an initialize with the id null."),
    transport("A-WS-7", Level::must,
              "Before initialize, what is not JSON gets the error -32700 with the id null."),
    transport("A-WS-8", Level::should,
              "Before initialize, a batch gets the error -32600 with the id null."),
    transport("A-WS-9", Level::must,
              "Before initialize, a number gets the error -32600 with the id null."),
    transport("A-WS-10", Level::must, "Before initialize, an answer to nothing is ignored."),
    transport("A-WS-11", Level::should,
              "A second initialize is answered with the error -32600 and its id."),
    transport("A-WS-12", Level::must, "A second initialize does not end the connection."),
    transport("A-WS-13", Level::must, "Binary frames are ignored."),
    transport("A-WS-14", Level::must, "A ping is answered with a pong that has its payload."),
    transport("A-WS-15", Level::must, "A message may come in several frames."),
    transport("A-WS-16", Level::must, "A close frame is answered with a close frame."),
    transport("A-WS-17", Level::must,
              "The answers to requests, with and without a session, come on the same socket."),
};

}  // namespace

std::span<const Requirement> transport_requirements() { return transport_list; }

}  // namespace acp::check
