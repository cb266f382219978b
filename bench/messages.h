// The messages that benchmarks send: whole JSON-RPC notifications, in the order in which agents
// write them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace bench {

// A `session/update` around this update, 229 bytes long with the chunk below.
inline std::string session_update(std::string_view update) {
  std::string text =
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_4f1c9a7be0d2436685a4","update":)";
  text += update;
  text += "}}";
  return text;
}

// A piece of an answer: 50 bytes of text.
inline std::string chunk() {
  return session_update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The quick brown fox jumps over the lazy dog again."}})");
}

// A tool call of about 900 bytes: text, a small diff, a location, raw input.
inline std::string tool_call() {
  return session_update(
      R"({"sessionUpdate":"tool_call","toolCallId":"call_01HZX3V7QK9T5R2M","title":"Edit src/server/router.cc","kind":"edit","status":"in_progress",)"
      R"("content":[{"type":"content","content":{"type":"text","text":"Answer 404 instead of 500 when no route matches, and say which path was asked for."}},)"
      R"({"type":"diff","path":"/home/user/project/src/server/router.cc","oldText":"  return Response(500);\n","newText":"  return Response(404, \"no route for \" + request.path);\n"}],)"
      R"("locations":[{"path":"/home/user/project/src/server/router.cc","line":118},{"path":"/home/user/project/src/server/router.h","line":42}],)"
      R"("rawInput":{"file_path":"/home/user/project/src/server/router.cc","old_string":"return Response(500);","replace_all":false,"timeout":30.5,"attempt":2,"reason":"the tests expect it"}})");
}

// The same call from an agent that writes its members in an order of its own.
inline std::string reordered_tool_call() {
  return session_update(
      R"({"rawInput":{"file_path":"/home/user/project/src/server/router.cc","old_string":"return Response(500);","replace_all":false,"timeout":30.5,"attempt":2,"reason":"the tests expect it"},)"
      R"("status":"in_progress","title":"Edit src/server/router.cc","kind":"edit",)"
      R"("locations":[{"line":118,"path":"/home/user/project/src/server/router.cc"},{"line":42,"path":"/home/user/project/src/server/router.h"}],)"
      R"("content":[{"content":{"text":"Answer 404 instead of 500 when no route matches, and say which path was asked for.","type":"text"},"type":"content"},)"
      R"({"newText":"  return Response(404, \"no route for \" + request.path);\n","oldText":"  return Response(500);\n","path":"/home/user/project/src/server/router.cc","type":"diff"}],)"
      R"("toolCallId":"call_01HZX3V7QK9T5R2M","sessionUpdate":"tool_call"})");
}

// Source text as it stands in a JSON string: lines of code with tabs, quotes, and now and then a
// word that is not ASCII. About one byte in 14 belongs to an escape.
inline std::string escaped_source(std::size_t bytes) {
  constexpr std::array<std::string_view, 12> lines = {
      R"(#include \"server/router.h\"\n)",
      R"(\n)",
      R"(// Looks the route up by its longest prefix; the table is sorted, so the first match is the best.\n)",
      R"(std::optional<Route> Router::find(std::string_view path) const {\n)",
      R"(\tfor (const Route& route : routes_) {\n)",
      R"(\t\tif (!path.starts_with(route.prefix)) continue;\n)",
      R"(\t\tlog_.debug(\"route {} answers {}\", route.name, path);\n)",
      R"(\t\treturn route;\n)",
      R"(\t}\n)",
      "\\t// Größe und Übersicht: siehe die Beschreibung — 路由表。\\n",
      R"(\tthrow NotFound(\"no route for \" + std::string(path) + \"\\n\");\n)",
      R"(}\n)",
  };
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += lines[i % lines.size()];
  return text;
}

// An edit of a whole file of 1 MiB: half of it the old text, half the new.
inline std::string diff() {
  std::string update =
      R"({"sessionUpdate":"tool_call","toolCallId":"call_01HZX3V7QK9T5R2M","title":"Rewrite src/server/router.cc","kind":"edit","status":"completed","content":[{"type":"diff","path":"/home/user/project/src/server/router.cc","oldText":")";
  update += escaped_source(512 * 1024);
  update += R"(","newText":")";
  update += escaped_source(512 * 1024);
  update += R"("}]})";
  return session_update(update);
}

}  // namespace bench
