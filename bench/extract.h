// What a program writes by hand over a general JSON library: from its tree to the protocol's
// structs. One text for the three libraries; the adaptors below give them the same face.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "acp/json/type.h"
#include "acp/schema/v1.h"
#include "bench/message.h"

namespace bench {

struct SimdjsonValue {
  simdjson::dom::element value;

  SimdjsonValue operator[](const char* key) const { return {value[key]}; }
  template <class Do>
  void members(Do take) const {
    for (auto [key, member] : simdjson::dom::object(value)) take(key, SimdjsonValue{member});
  }
  template <class Do>
  void elements(Do take) const {
    for (auto element : simdjson::dom::array(value)) take(SimdjsonValue{element});
  }
  std::string_view text() const { return value; }
  std::uint32_t integer() const { return static_cast<std::uint32_t>(std::uint64_t(value)); }
  std::string raw() const { return simdjson::minify(value); }
};

struct NlohmannValue {
  const nlohmann::json& value;

  NlohmannValue operator[](const char* key) const { return {value.at(key)}; }
  template <class Do>
  void members(Do take) const {
    for (const auto& [key, member] : value.items())
      take(std::string_view(key), NlohmannValue{member});
  }
  template <class Do>
  void elements(Do take) const {
    for (const auto& element : value) take(NlohmannValue{element});
  }
  std::string_view text() const { return value.get_ref<const std::string&>(); }
  std::uint32_t integer() const { return value.get<std::uint32_t>(); }
  std::string raw() const { return value.dump(); }
};

struct RapidjsonValue {
  const rapidjson::Value& value;

  RapidjsonValue operator[](const char* key) const { return {value[key]}; }
  template <class Do>
  void members(Do take) const {
    for (const auto& member : value.GetObject())
      take(RapidjsonValue{member.name}.text(), RapidjsonValue{member.value});
  }
  template <class Do>
  void elements(Do take) const {
    for (const auto& element : value.GetArray()) take(RapidjsonValue{element});
  }
  std::string_view text() const { return {value.GetString(), value.GetStringLength()}; }
  std::uint32_t integer() const { return value.GetUint(); }
  std::string raw() const {
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    value.Accept(writer);
    return {out.GetString(), out.GetSize()};
  }
};

template <class Enum>
Enum enum_of(std::string_view text) {
  const auto names = acp::json::type_of<Enum>().values;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  throw std::runtime_error("no such value");
}

template <class Value>
void read(Value value, acp::v1::ContentBlock& block) {
  if (value["type"].text() != "text") throw std::runtime_error("no text");
  block.emplace<acp::v1::TextContent>().text = value["text"].text();
}

template <class Value>
void read(Value value, acp::v1::ToolCallContent& content) {
  if (value["type"].text() == "content")
    return read(value["content"], content.emplace<acp::v1::Content>().content);
  acp::v1::Diff& diff = content.emplace<acp::v1::Diff>();
  value.members([&](std::string_view key, Value member) {
    if (key == "path")
      diff.path = member.text();
    else if (key == "oldText")
      diff.oldText.emplace(member.text());
    else if (key == "newText")
      diff.newText = member.text();
  });
}

template <class Value>
void read(Value value, acp::v1::ToolCallLocation& location) {
  value.members([&](std::string_view key, Value member) {
    if (key == "path")
      location.path = member.text();
    else if (key == "line")
      location.line.emplace(member.integer());
  });
}

template <class Value>
void read(Value value, acp::v1::ToolCall& call) {
  value.members([&](std::string_view key, Value member) {
    if (key == "toolCallId")
      call.toolCallId = member.text();
    else if (key == "title")
      call.title = member.text();
    else if (key == "kind")
      call.kind = enum_of<acp::v1::ToolKind>(member.text());
    else if (key == "status")
      call.status = enum_of<acp::v1::ToolCallStatus>(member.text());
    else if (key == "content")
      member.elements([&](Value element) { read(element, call.content.emplace_back()); });
    else if (key == "locations")
      member.elements([&](Value element) { read(element, call.locations.emplace_back()); });
    else if (key == "rawInput")
      call.rawInput = acp::Json::from_valid(member.raw());
  });
}

template <class Value>
Message message_of(Value value) {
  Message message;
  message.jsonrpc = value["jsonrpc"].text();
  message.method = value["method"].text();
  const Value params = value["params"];
  message.params.sessionId = params["sessionId"].text();
  const Value update = params["update"];
  const std::string_view kind = update["sessionUpdate"].text();
  if (kind == "agent_message_chunk")
    read(update["content"], message.params.update.emplace<acp::v1::AgentMessageChunk>().content);
  else if (kind == "tool_call")
    read(update, message.params.update.emplace<acp::v1::ToolCall>());
  else
    throw std::runtime_error("another update");
  return message;
}

}  // namespace bench
