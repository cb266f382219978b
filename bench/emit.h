// What a program writes by hand to send the protocol's structs: over the libraries, and without
// any.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "acp/json/scan.h"
#include "acp/json/type.h"
#include "acp/schema/v1.h"
#include "bench/message.h"

namespace bench {

template <class Enum>
std::string_view name_of(Enum value) {
  return acp::json::type_of<Enum>().values[static_cast<std::size_t>(value)];
}
inline const std::string& text_of(const acp::v1::ContentBlock& block) {
  return std::get<acp::v1::TextContent>(block).text;
}

// ---- nlohmann: a tree, then its text
// ---------------------------------------------------------------------

inline nlohmann::json tree_of(const acp::v1::ContentBlock& block) {
  return {{"type", "text"}, {"text", text_of(block)}};
}

inline nlohmann::json tree_of(const acp::v1::ToolCall& call) {
  nlohmann::json tree = {
      {"sessionUpdate", "tool_call"}, {"toolCallId", call.toolCallId}, {"title", call.title}};
  if (call.kind) tree["kind"] = name_of(*call.kind);
  if (call.status) tree["status"] = name_of(*call.status);
  for (const auto& item : call.content) {
    if (const auto* content = std::get_if<acp::v1::Content>(&item)) {
      tree["content"].push_back({{"type", "content"}, {"content", tree_of(content->content)}});
    } else {
      const auto& diff = std::get<acp::v1::Diff>(item);
      tree["content"].push_back({{"type", "diff"},
                                 {"path", diff.path},
                                 {"oldText", *diff.oldText},
                                 {"newText", diff.newText}});
    }
  }
  for (const auto& location : call.locations)
    tree["locations"].push_back({{"path", location.path}, {"line", *location.line}});
  if (!call.rawInput.absent()) tree["rawInput"] = nlohmann::json::parse(call.rawInput.text());
  return tree;
}

inline nlohmann::json tree_of(const Message& message) {
  nlohmann::json update;
  if (const auto* chunk = std::get_if<acp::v1::AgentMessageChunk>(&message.params.update))
    update = {{"sessionUpdate", "agent_message_chunk"}, {"content", tree_of(chunk->content)}};
  else
    update = tree_of(std::get<acp::v1::ToolCall>(message.params.update));
  return {{"jsonrpc", message.jsonrpc},
          {"method", message.method},
          {"params", {{"sessionId", message.params.sessionId}, {"update", std::move(update)}}}};
}

// ---- RapidJSON: calls of its Writer
// ----------------------------------------------------------------------

class RapidjsonEmitter {
 public:
  std::string_view write(const Message& message) {
    out_.Clear();
    writer_.Reset(out_);
    writer_.StartObject();
    member("jsonrpc", message.jsonrpc);
    member("method", message.method);
    writer_.Key("params");
    writer_.StartObject();
    member("sessionId", message.params.sessionId);
    writer_.Key("update");
    writer_.StartObject();
    if (const auto* chunk = std::get_if<acp::v1::AgentMessageChunk>(&message.params.update)) {
      member("sessionUpdate", "agent_message_chunk");
      block(chunk->content);
    } else {
      call(std::get<acp::v1::ToolCall>(message.params.update));
    }
    writer_.EndObject();
    writer_.EndObject();
    writer_.EndObject();
    return {out_.GetString(), out_.GetSize()};
  }

 private:
  template <std::size_t N>
  void member(const char (&key)[N], std::string_view text) {
    writer_.Key(key, N - 1);
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void block(const acp::v1::ContentBlock& content) {
    writer_.Key("content");
    writer_.StartObject();
    member("type", "text");
    member("text", text_of(content));
    writer_.EndObject();
  }
  void call(const acp::v1::ToolCall& call) {
    member("sessionUpdate", "tool_call");
    member("toolCallId", call.toolCallId);
    member("title", call.title);
    if (call.kind) member("kind", name_of(*call.kind));
    if (call.status) member("status", name_of(*call.status));
    if (!call.content.empty()) {
      writer_.Key("content");
      writer_.StartArray();
      for (const auto& item : call.content) {
        writer_.StartObject();
        if (const auto* content = std::get_if<acp::v1::Content>(&item)) {
          member("type", "content");
          block(content->content);
        } else {
          const auto& diff = std::get<acp::v1::Diff>(item);
          member("type", "diff");
          member("path", diff.path);
          if (diff.oldText) member("oldText", *diff.oldText);
          member("newText", diff.newText);
        }
        writer_.EndObject();
      }
      writer_.EndArray();
    }
    if (!call.locations.empty()) {
      writer_.Key("locations");
      writer_.StartArray();
      for (const auto& location : call.locations) {
        writer_.StartObject();
        member("path", location.path);
        if (location.line) {
          writer_.Key("line");
          writer_.Uint(*location.line);
        }
        writer_.EndObject();
      }
      writer_.EndArray();
    }
    if (!call.rawInput.absent()) {
      const std::string& raw = call.rawInput.text();
      writer_.Key("rawInput");
      writer_.RawValue(raw.data(), raw.size(), rapidjson::kObjectType);
    }
  }

  rapidjson::StringBuffer out_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

// ---- By hand: the floor
// ----------------------------------------------------------------------------------

// Knows the message, keeps one buffer that is large enough for the worst, and trusts its UTF-8.
class HandEmitter {
 public:
  explicit HandEmitter(std::size_t room) : room_(std::make_unique_for_overwrite<char[]>(room)) {}

  std::string_view write(const Message& message) {
    out_ = room_.get();
    put(R"({"jsonrpc":")");
    escaped(message.jsonrpc);
    put(R"(","method":")");
    escaped(message.method);
    put(R"(","params":{"sessionId":")");
    escaped(message.params.sessionId);
    if (const auto* chunk = std::get_if<acp::v1::AgentMessageChunk>(&message.params.update)) {
      put(R"(","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")");
      escaped(text_of(chunk->content));
      put(R"("}}}})");
    } else {
      call(std::get<acp::v1::ToolCall>(message.params.update));
      put("}}}");
    }
    return {room_.get(), static_cast<std::size_t>(out_ - room_.get())};
  }

 private:
  template <std::size_t N>
  void put(const char (&text)[N]) {
    std::memcpy(out_, text, N - 1);
    out_ += N - 1;
  }
  void copy(std::string_view text) {
    std::memcpy(out_, text.data(), text.size());
    out_ += text.size();
  }
  void escaped(std::string_view text) {
    using acp::json::scan::block;
    const char* at = text.data();
    const char* const end = at + text.size();
    char* out = out_;
    for (;;) {
      while (static_cast<std::size_t>(end - at) >= block) {
        std::memcpy(out, at, block);
        if (const std::uint64_t marks = acp::json::scan::marks(at)) {
          at += acp::json::scan::first(marks);
          out += acp::json::scan::first(marks);
          break;
        }
        at += block;
        out += block;
      }
      while (at < end && !acp::json::scan::is_special(*at)) *out++ = *at++;
      if (at == end) break;
      do {
        const char c = *at++;
        const char letter = letters[static_cast<unsigned char>(c)];
        if (letter == 0) {
          *out++ = c;
        } else if (letter != 'u') {
          *out++ = '\\';
          *out++ = letter;
        } else {
          std::memcpy(out, "\\u00", 4);
          out[4] = "01"[c >> 4];
          out[5] = "0123456789abcdef"[c & 15];
          out += 6;
        }
      } while (at < end && acp::json::scan::is_special(*at));
    }
    out_ = out;
  }
  void number(std::uint32_t value) {
    char digits[10];
    char* first = digits + sizeof digits;
    do *--first = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    copy({first, static_cast<std::size_t>(digits + sizeof digits - first)});
  }
  void call(const acp::v1::ToolCall& call) {
    put(R"(","update":{"sessionUpdate":"tool_call","toolCallId":")");
    escaped(call.toolCallId);
    put(R"(","title":")");
    escaped(call.title);
    put("\"");
    if (call.kind) {
      put(R"(,"kind":")");
      copy(name_of(*call.kind));
      put("\"");
    }
    if (call.status) {
      put(R"(,"status":")");
      copy(name_of(*call.status));
      put("\"");
    }
    if (!call.content.empty()) {
      put(R"(,"content":[)");
      for (const auto& item : call.content) {
        if (const auto* content = std::get_if<acp::v1::Content>(&item)) {
          put(R"({"type":"content","content":{"type":"text","text":")");
          escaped(text_of(content->content));
          put(R"("}},)");
        } else {
          const auto& diff = std::get<acp::v1::Diff>(item);
          put(R"({"type":"diff","path":")");
          escaped(diff.path);
          if (diff.oldText) {
            put(R"(","oldText":")");
            escaped(*diff.oldText);
          }
          put(R"(","newText":")");
          escaped(diff.newText);
          put(R"("},)");
        }
      }
      out_[-1] = ']';
    }
    if (!call.locations.empty()) {
      put(R"(,"locations":[)");
      for (const auto& location : call.locations) {
        put(R"({"path":")");
        escaped(location.path);
        put("\"");
        if (location.line) {
          put(R"(,"line":)");
          number(*location.line);
        }
        put("},");
      }
      out_[-1] = ']';
    }
    if (!call.rawInput.absent()) {
      put(R"(,"rawInput":)");
      copy(call.rawInput.text());
    }
  }

  // What follows the backslash; 0 where none is needed.
  static constexpr std::array<char, 256> letters = [] {
    std::array<char, 256> table{};
    std::fill_n(table.begin(), 0x20, 'u');
    table['"'] = '"';
    table['\\'] = '\\';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    return table;
  }();

  std::unique_ptr<char[]> room_;
  char* out_ = nullptr;
};

}  // namespace bench
