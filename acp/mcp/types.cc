#include "acp/mcp/types.h"

#include "acp/json/codec.h"

namespace acp::mcp {

using namespace acp::json;  // NOLINT(google-build-using-namespace)

namespace {
constexpr Field Implementation_fields[] = {
    ACP_JSON_FIELD(Implementation, name, required), ACP_JSON_FIELD(Implementation, title, 0),
    ACP_JSON_FIELD(Implementation, version, 0),     ACP_JSON_FIELD(Implementation, description, 0),
    ACP_JSON_FIELD(Implementation, websiteUrl, 0),  ACP_JSON_FIELD(Implementation, icons, 0),
};
constexpr Object Implementation_object{.fields = Implementation_fields};
}  // namespace
const Type Implementation::json_type =
    make::object<Implementation>("Implementation", Implementation_object);

namespace {
constexpr Field ListCapability_fields[] = {
    ACP_JSON_FIELD(ListCapability, listChanged, omit_false),
    ACP_JSON_FIELD(ListCapability, subscribe, omit_false),
};
constexpr Object ListCapability_object{.fields = ListCapability_fields};
}  // namespace
const Type ListCapability::json_type =
    make::object<ListCapability>("ListCapability", ListCapability_object);

namespace {
constexpr Field ServerCapabilities_fields[] = {
    ACP_JSON_FIELD(ServerCapabilities, tools, 0),
    ACP_JSON_FIELD(ServerCapabilities, resources, 0),
    ACP_JSON_FIELD(ServerCapabilities, prompts, 0),
    ACP_JSON_FIELD(ServerCapabilities, logging, 0),
    ACP_JSON_FIELD(ServerCapabilities, completions, 0),
    ACP_JSON_FIELD(ServerCapabilities, tasks, 0),
    ACP_JSON_FIELD(ServerCapabilities, experimental, 0),
};
constexpr Object ServerCapabilities_object{.fields = ServerCapabilities_fields};
}  // namespace
const Type ServerCapabilities::json_type =
    make::object<ServerCapabilities>("ServerCapabilities", ServerCapabilities_object);

namespace {
constexpr Field InitializeResult_fields[] = {
    ACP_JSON_FIELD(InitializeResult, protocolVersion, required),
    ACP_JSON_FIELD(InitializeResult, capabilities, 0),
    ACP_JSON_FIELD(InitializeResult, serverInfo, 0),
    ACP_JSON_FIELD(InitializeResult, instructions, 0),
    ACP_JSON_FIELD(InitializeResult, _meta, 0),
};
constexpr Object InitializeResult_object{.fields = InitializeResult_fields};
}  // namespace
const Type InitializeResult::json_type =
    make::object<InitializeResult>("InitializeResult", InitializeResult_object);

namespace {
constexpr Field ToolAnnotations_fields[] = {
    ACP_JSON_FIELD(ToolAnnotations, title, 0),
    ACP_JSON_FIELD(ToolAnnotations, readOnlyHint, 0),
    ACP_JSON_FIELD(ToolAnnotations, destructiveHint, 0),
    ACP_JSON_FIELD(ToolAnnotations, idempotentHint, 0),
    ACP_JSON_FIELD(ToolAnnotations, openWorldHint, 0),
};
constexpr Object ToolAnnotations_object{.fields = ToolAnnotations_fields};
}  // namespace
const Type ToolAnnotations::json_type =
    make::object<ToolAnnotations>("ToolAnnotations", ToolAnnotations_object);

namespace {
constexpr Field Tool_fields[] = {
    ACP_JSON_FIELD(Tool, name, required),  ACP_JSON_FIELD(Tool, title, 0),
    ACP_JSON_FIELD(Tool, description, 0),  ACP_JSON_FIELD(Tool, inputSchema, 0),
    ACP_JSON_FIELD(Tool, outputSchema, 0), ACP_JSON_FIELD(Tool, annotations, 0),
    ACP_JSON_FIELD(Tool, execution, 0),    ACP_JSON_FIELD(Tool, icons, 0),
    ACP_JSON_FIELD(Tool, _meta, 0),
};
constexpr Object Tool_object{.fields = Tool_fields};
}  // namespace
const Type Tool::json_type = make::object<Tool>("Tool", Tool_object);

namespace {
constexpr Field Resource_fields[] = {
    ACP_JSON_FIELD(Resource, uri, required),  ACP_JSON_FIELD(Resource, name, 0),
    ACP_JSON_FIELD(Resource, title, 0),       ACP_JSON_FIELD(Resource, description, 0),
    ACP_JSON_FIELD(Resource, mimeType, 0),    ACP_JSON_FIELD(Resource, size, 0),
    ACP_JSON_FIELD(Resource, annotations, 0), ACP_JSON_FIELD(Resource, icons, 0),
    ACP_JSON_FIELD(Resource, _meta, 0),
};
constexpr Object Resource_object{.fields = Resource_fields};
}  // namespace
const Type Resource::json_type = make::object<Resource>("Resource", Resource_object);

namespace {
constexpr Field ResourceTemplate_fields[] = {
    ACP_JSON_FIELD(ResourceTemplate, uriTemplate, required),
    ACP_JSON_FIELD(ResourceTemplate, name, 0),
    ACP_JSON_FIELD(ResourceTemplate, title, 0),
    ACP_JSON_FIELD(ResourceTemplate, description, 0),
    ACP_JSON_FIELD(ResourceTemplate, mimeType, 0),
    ACP_JSON_FIELD(ResourceTemplate, annotations, 0),
    ACP_JSON_FIELD(ResourceTemplate, icons, 0),
    ACP_JSON_FIELD(ResourceTemplate, _meta, 0),
};
constexpr Object ResourceTemplate_object{.fields = ResourceTemplate_fields};
}  // namespace
const Type ResourceTemplate::json_type =
    make::object<ResourceTemplate>("ResourceTemplate", ResourceTemplate_object);

namespace {
constexpr Field PromptArgument_fields[] = {
    ACP_JSON_FIELD(PromptArgument, name, required),
    ACP_JSON_FIELD(PromptArgument, title, 0),
    ACP_JSON_FIELD(PromptArgument, description, 0),
    ACP_JSON_FIELD(PromptArgument, required, omit_false),
};
constexpr Object PromptArgument_object{.fields = PromptArgument_fields};
}  // namespace
const Type PromptArgument::json_type =
    make::object<PromptArgument>("PromptArgument", PromptArgument_object);

namespace {
constexpr Field Prompt_fields[] = {
    ACP_JSON_FIELD(Prompt, name, required), ACP_JSON_FIELD(Prompt, title, 0),
    ACP_JSON_FIELD(Prompt, description, 0), ACP_JSON_FIELD(Prompt, arguments, omit_empty),
    ACP_JSON_FIELD(Prompt, icons, 0),       ACP_JSON_FIELD(Prompt, _meta, 0),
};
constexpr Object Prompt_object{.fields = Prompt_fields};
}  // namespace
const Type Prompt::json_type = make::object<Prompt>("Prompt", Prompt_object);

namespace {
constexpr Field ResourceContents_fields[] = {
    ACP_JSON_FIELD(ResourceContents, uri, required), ACP_JSON_FIELD(ResourceContents, mimeType, 0),
    ACP_JSON_FIELD(ResourceContents, text, 0),       ACP_JSON_FIELD(ResourceContents, blob, 0),
    ACP_JSON_FIELD(ResourceContents, _meta, 0),
};
constexpr Object ResourceContents_object{.fields = ResourceContents_fields};
}  // namespace
const Type ResourceContents::json_type =
    make::object<ResourceContents>("ResourceContents", ResourceContents_object);

namespace {
constexpr Field ReadResourceResult_fields[] = {
    ACP_JSON_FIELD(ReadResourceResult, contents, required),
    ACP_JSON_FIELD(ReadResourceResult, _meta, 0),
};
constexpr Object ReadResourceResult_object{.fields = ReadResourceResult_fields};
}  // namespace
const Type ReadResourceResult::json_type =
    make::object<ReadResourceResult>("ReadResourceResult", ReadResourceResult_object);

namespace {
constexpr Field Completion_fields[] = {
    ACP_JSON_FIELD(Completion, values, required),
    ACP_JSON_FIELD(Completion, total, 0),
    ACP_JSON_FIELD(Completion, hasMore, omit_false),
};
constexpr Object Completion_object{.fields = Completion_fields};
}  // namespace
const Type Completion::json_type = make::object<Completion>("Completion", Completion_object);

namespace {
constexpr Field Progress_fields[] = {
    ACP_JSON_FIELD(Progress, progress, required),
    ACP_JSON_FIELD(Progress, total, 0),
    ACP_JSON_FIELD(Progress, message, 0),
};
constexpr Object Progress_object{.fields = Progress_fields};
}  // namespace
const Type Progress::json_type = make::object<Progress>("Progress", Progress_object);

namespace {
constexpr Field LogMessage_fields[] = {
    ACP_JSON_FIELD(LogMessage, level, required),
    ACP_JSON_FIELD(LogMessage, logger, 0),
    ACP_JSON_FIELD(LogMessage, data, 0),
};
constexpr Object LogMessage_object{.fields = LogMessage_fields};
}  // namespace
const Type LogMessage::json_type = make::object<LogMessage>("LogMessage", LogMessage_object);

namespace {
constexpr Field Root_fields[] = {
    ACP_JSON_FIELD(Root, uri, required),
    ACP_JSON_FIELD(Root, name, 0),
    ACP_JSON_FIELD(Root, _meta, 0),
};
constexpr Object Root_object{.fields = Root_fields};
}  // namespace
const Type Root::json_type = make::object<Root>("Root", Root_object);

namespace {
constexpr Field ListRootsResult_fields[] = {
    ACP_JSON_FIELD(ListRootsResult, roots, required),
};
constexpr Object ListRootsResult_object{.fields = ListRootsResult_fields};
}  // namespace
const Type ListRootsResult::json_type =
    make::object<ListRootsResult>("ListRootsResult", ListRootsResult_object);

namespace {
constexpr Field SamplingMessage_fields[] = {
    ACP_JSON_FIELD(SamplingMessage, role, required),
    ACP_JSON_FIELD(SamplingMessage, content, required),
    ACP_JSON_FIELD(SamplingMessage, _meta, 0),
};
constexpr Object SamplingMessage_object{.fields = SamplingMessage_fields};
}  // namespace
const Type SamplingMessage::json_type =
    make::object<SamplingMessage>("SamplingMessage", SamplingMessage_object);

namespace {
constexpr Field CreateMessageRequest_fields[] = {
    ACP_JSON_FIELD(CreateMessageRequest, messages, required),
    ACP_JSON_FIELD(CreateMessageRequest, modelPreferences, 0),
    ACP_JSON_FIELD(CreateMessageRequest, systemPrompt, 0),
    ACP_JSON_FIELD(CreateMessageRequest, includeContext, 0),
    ACP_JSON_FIELD(CreateMessageRequest, temperature, 0),
    ACP_JSON_FIELD(CreateMessageRequest, maxTokens, required),
    ACP_JSON_FIELD(CreateMessageRequest, stopSequences, omit_empty),
    ACP_JSON_FIELD(CreateMessageRequest, metadata, 0),
    ACP_JSON_FIELD(CreateMessageRequest, tools, 0),
    ACP_JSON_FIELD(CreateMessageRequest, toolChoice, 0),
    ACP_JSON_FIELD(CreateMessageRequest, _meta, 0),
};
constexpr Object CreateMessageRequest_object{.fields = CreateMessageRequest_fields};
}  // namespace
const Type CreateMessageRequest::json_type =
    make::object<CreateMessageRequest>("CreateMessageRequest", CreateMessageRequest_object);

namespace {
constexpr Field CreateMessageResult_fields[] = {
    ACP_JSON_FIELD(CreateMessageResult, role, required),
    ACP_JSON_FIELD(CreateMessageResult, content, required),
    ACP_JSON_FIELD(CreateMessageResult, model, required),
    ACP_JSON_FIELD(CreateMessageResult, stopReason, 0),
    ACP_JSON_FIELD(CreateMessageResult, _meta, 0),
};
constexpr Object CreateMessageResult_object{.fields = CreateMessageResult_fields};
}  // namespace
const Type CreateMessageResult::json_type =
    make::object<CreateMessageResult>("CreateMessageResult", CreateMessageResult_object);

namespace {
constexpr Field ElicitRequest_fields[] = {
    ACP_JSON_FIELD(ElicitRequest, mode, 0),
    ACP_JSON_FIELD(ElicitRequest, message, required),
    ACP_JSON_FIELD(ElicitRequest, requestedSchema, 0),
    ACP_JSON_FIELD(ElicitRequest, url, 0),
    ACP_JSON_FIELD(ElicitRequest, elicitationId, 0),
    ACP_JSON_FIELD(ElicitRequest, _meta, 0),
};
constexpr Object ElicitRequest_object{.fields = ElicitRequest_fields};
}  // namespace
const Type ElicitRequest::json_type =
    make::object<ElicitRequest>("ElicitRequest", ElicitRequest_object);

namespace {
constexpr Field ElicitResult_fields[] = {
    ACP_JSON_FIELD(ElicitResult, action, required),
    ACP_JSON_FIELD(ElicitResult, content, 0),
    ACP_JSON_FIELD(ElicitResult, _meta, 0),
};
constexpr Object ElicitResult_object{.fields = ElicitResult_fields};
}  // namespace
const Type ElicitResult::json_type =
    make::object<ElicitResult>("ElicitResult", ElicitResult_object);

Json with_defaults(JsonView requested_schema, JsonView content) {
  Json result = content.is_object() ? Json(content) : Json::object();
  for (const auto& [name, property] : requested_schema["properties"].members())
    if (content[name].absent() && !property["default"].absent())
      result.set(name, Json(property["default"]));
  return result;
}

}  // namespace acp::mcp
