// The MCP messages that a client reads or writes: every published revision up to 2025-11-25.
// https://modelcontextprotocol.io/specification
//
// What a server lists or answers also keeps its text: `raw` is the protocol's own object, with
// whatever this version has no name for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/described.h"
#include "acp/json/json.h"
#include "acp/schema/v1.h"

namespace acp::mcp {

// Newest first. The first is what we ask for.
inline constexpr std::string_view protocol_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                         "2024-11-05"};

struct Implementation {
  std::string name = {};
  std::optional<std::string> title = {};
  std::string version = {};
  std::optional<std::string> description = {};
  std::optional<std::string> websiteUrl = {};
  Json icons = {};
  static const json::Type json_type;
};

// ---- what a server is

struct ListCapability {
  bool listChanged = false;
  bool subscribe = false;  // of resources
  static const json::Type json_type;
};

struct ServerCapabilities {
  std::optional<ListCapability> tools = {};
  std::optional<ListCapability> resources = {};
  std::optional<ListCapability> prompts = {};
  Json logging = {};
  Json completions = {};
  Json tasks = {};
  Json experimental = {};
  static const json::Type json_type;
};

struct InitializeResult {
  std::string protocolVersion = {};
  ServerCapabilities capabilities = {};
  Implementation serverInfo = {};
  std::optional<std::string> instructions = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

// ---- what it lists

struct ToolAnnotations {
  std::optional<std::string> title = {};
  std::optional<bool> readOnlyHint = {};
  std::optional<bool> destructiveHint = {};
  std::optional<bool> idempotentHint = {};
  std::optional<bool> openWorldHint = {};
  static const json::Type json_type;
};

struct Tool {
  std::string name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  Json inputSchema = {};
  Json outputSchema = {};
  ToolAnnotations annotations = {};
  Json execution = {};
  Json icons = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

struct Resource {
  std::string uri = {};
  std::string name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  std::optional<std::string> mimeType = {};
  std::optional<std::int64_t> size = {};
  std::optional<v1::Annotations> annotations = {};
  Json icons = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

struct ResourceTemplate {
  std::string uriTemplate = {};
  std::string name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  std::optional<std::string> mimeType = {};
  std::optional<v1::Annotations> annotations = {};
  Json icons = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

struct PromptArgument {
  std::string name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  bool required = false;
  static const json::Type json_type;
};

struct Prompt {
  std::string name = {};
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  std::vector<PromptArgument> arguments = {};
  Json icons = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

// ---- what it answers

struct CallToolResult {
  std::vector<v1::ContentBlock> content = {};  // as ACP has it: content.h
  Json structuredContent = {};
  bool isError = false;
  Json raw = {};
};

struct ResourceContents {
  std::string uri = {};
  std::optional<std::string> mimeType = {};
  std::optional<std::string> text = {};
  std::optional<std::string> blob = {};  // base64
  Json _meta = {};
  static const json::Type json_type;
};

struct ReadResourceResult {
  std::vector<ResourceContents> contents = {};
  Json _meta = {};
  Json raw = {};
  static const json::Type json_type;
};

struct PromptMessage {
  std::string role = {};  // "user" or "assistant"
  v1::ContentBlock content = {};
};

struct GetPromptResult {
  std::optional<std::string> description = {};
  std::vector<PromptMessage> messages = {};
  Json raw = {};
};

struct Completion {
  std::vector<std::string> values = {};
  std::optional<std::int64_t> total = {};
  bool hasMore = false;
  static const json::Type json_type;
};

// ---- what it tells

struct Progress {
  double progress = 0;
  std::optional<double> total = {};
  std::optional<std::string> message = {};
  static const json::Type json_type;
};

struct LogMessage {
  std::string level = {};  // "debug" … "emergency"
  std::optional<std::string> logger = {};
  Json data = {};
  static const json::Type json_type;
};

// ---- what it asks

struct Root {
  std::string uri = {};  // file://
  std::optional<std::string> name = {};
  Json _meta = {};
  static const json::Type json_type;
};

struct ListRootsResult {
  std::vector<Root> roots = {};
  static const json::Type json_type;
};

struct SamplingMessage {
  std::string role = {};
  Json content = {};  // a content block, or several
  Json _meta = {};
  static const json::Type json_type;
};

struct CreateMessageRequest {
  std::vector<SamplingMessage> messages = {};
  Json modelPreferences = {};
  std::optional<std::string> systemPrompt = {};
  std::optional<std::string> includeContext = {};
  std::optional<double> temperature = {};
  std::int64_t maxTokens = 0;
  std::vector<std::string> stopSequences = {};
  Json metadata = {};
  Json tools = {};
  Json toolChoice = {};
  Json _meta = {};
  static const json::Type json_type;
};

struct CreateMessageResult {
  std::string role = "assistant";
  Json content = {};  // a content block, or several
  std::string model = {};
  std::optional<std::string> stopReason = {};
  Json _meta = {};
  static const json::Type json_type;
};

struct ElicitRequest {
  std::string mode = "form";  // or "url"
  std::string message = {};
  Json requestedSchema = {};                      // of a form
  std::optional<std::string> url = {};            // to be opened
  std::optional<std::string> elicitationId = {};  // of a url
  Json _meta = {};
  static const json::Type json_type;
};

struct ElicitResult {
  std::string action = "cancel";  // "accept", "decline"
  Json content = {};              // of a form that was accepted
  Json _meta = {};
  static const json::Type json_type;
};

// The content of a form with the schema's defaults for whatever was left out.
Json with_defaults(JsonView requested_schema, JsonView content);

}  // namespace acp::mcp
