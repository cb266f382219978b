"""What the schema leaves open: names in C++, the order of types, and which method needs which capability."""

KEYWORDS = {"delete", "default", "const", "enum", "private", "public", "operator", "template", "union", "new",
            "class", "export", "this", "switch", "continue", "break", "and", "or", "not", "int", "double"}

# The order in which a reader meets things. A type goes under the first topic whose pattern fits its name; what
# it is made of is moved before it if need be.
TOPICS = [
    ("Identifiers and values that everything uses",
     r"(Session|ToolCall|Terminal|Message|Request|Plan|Compaction)Id|ProtocolVersion|AbsolutePath|MediaType|"
     r"EnvVariable|HttpHeader|Role|Implementation"),
    ("Errors", r"Error|ErrorCode|ErrorData|\w+ErrorData|ErrorStopReason"),
    ("Content", r"Annotations|\w*Content|ContentBlock|Icon\w*|ResourceLink|\w*Resource|\w*ResourceContents|"
                r"EmbeddedResource\w*"),
    ("Tool calls", r"ToolKind|Tool\w*|Diff\w*|Terminal|Content"),
    ("Plans", r"Plan\w*"),
    ("Slash commands", r"\w*Command\w*(?<!Subject)"),
    ("Modes and configuration", r"\w*SessionMode\w*|CurrentModeUpdate|\w*SessionConfig\w*|ConfigOption\w*|"
                                r"BooleanConfigOption\w*"),
    ("MCP servers", r"\w*Mcp\w*"),
    ("System prompts", r"SystemPrompt\w*"),
    ("Capabilities", r"\w*Capabilities"),
    ("Initialization", r"Initialize\w*"),
    ("Authentication", r"\w*Auth\w*|Logout\w*"),
    ("Sessions", r"(New|Load|Resume|List|Delete|Close|Fork|Archive|Unarchive)Session\w*|Session(Info|Archive|Status|"
                 r"List)\w*|SetSessionTitle\w*|ReplayFrom\w*"),
    ("Session updates", r"\w*Update|\w*Chunk|\w*Message|Agent(Message|Thought)|Notice\w*|Compaction\w*|Cost|Usage|"
                        r"SessionNotification|UpdateSessionNotification|Background\w*"),
    ("Prompt turns", r"Prompt\w*|StopReason|Cancel\w*"),
    ("Permission", r"\w*Permission\w*"),
    ("Files", r"(Read|Write)TextFile\w*"),
    ("Terminals", r"\w*Terminal\w*"),
    ("Elicitation", r"\w*Elicitation\w*|\w*PropertySchema|\w*MultiSelect\w*|EnumOption|StringFormat"),
    ("Providers", r"\w*Provider\w*|LlmProtocol"),
    ("Proxies", r"\w*Proxy\w*"),
    ("Extensions and envelopes", r".*"),
]

# What C++ calls arms that have no type of their own in the schema, or share one with another arm.
ARM_NAMES = {
    ("SessionUpdate", "user_message_chunk"): "UserMessageChunk",
    ("SessionUpdate", "agent_message_chunk"): "AgentMessageChunk",
    ("SessionUpdate", "agent_thought_chunk"): "AgentThoughtChunk",
    ("RequestPermissionOutcome", "cancelled"): "CancelledPermissionOutcome",
    ("CreateElicitationResponse", "decline"): "ElicitationDeclineAction",
    ("CreateElicitationResponse", "cancel"): "ElicitationCancelAction",
    ("SetSessionConfigOptionRequest", "boolean"): "SetSessionConfigBoolean",
    ("SetSessionConfigOptionRequest", "value_id"): "SetSessionConfigValueId",
    ("SetSessionConfigOptionRequest", "id"): "SetSessionConfigValueId",
    ("MessageMcpResponse", "Result"): "McpResult",
    ("MessageMcpResponse", "Error"): "McpFailure",
    ("IdleStateUpdate", "end_turn"): "EndTurnStopReason",
    ("IdleStateUpdate", "max_tokens"): "MaxTokensStopReason",
    ("IdleStateUpdate", "max_turn_requests"): "MaxTurnRequestsStopReason",
    ("IdleStateUpdate", "refusal"): "RefusalStopReason",
    ("IdleStateUpdate", "cancelled"): "CancelledStopReason",
    ("IdleStateUpdate", "none"): "NoStopReason",
    ("DiffChange", "add"): "DiffAdd",
    ("DiffChange", "delete"): "DiffDelete",
    ("DiffChange", "modify"): "DiffModify",
    ("DiffChange", "move"): "DiffMove",
    ("DiffChange", "copy"): "DiffCopy",
}

# Unions whose members stand among those of an object: the C++ member that holds them, and its type.
FLAT_UNIONS = {
    "SessionConfigOption": ("type", "SessionConfigOptionType"),
    "SetSessionConfigOptionRequest": ("value", "SetSessionConfigOptionValue"),
    "CreateElicitationRequest": ("mode", "ElicitationMode"),
    "CreateElicitationResponse": ("action", "ElicitationAction"),
    "ElicitationFormMode": ("scope", "ElicitationScope"),
    "ElicitationUrlMode": ("scope", "ElicitationScope"),
    "DiffChange": ("operation", "DiffOperation"),
    "IdleStateUpdate": ("stopReason", "IdleStopReason"),
}

# A new union holds its first arm. Where the schema's first arm says too much, another one comes first: no stop
# reason rather than the end of a turn, and nobody's consent by default.
FIRST_ARMS = {("IdleStateUpdate", "none"), ("CreateElicitationResponse", "cancel")}

# Results for which peers send null; the official SDK takes it as {} too.
NULL_IS_EMPTY = {
    "v1": ["LoadSession", "DeleteSession", "ArchiveSession", "UnarchiveSession", "CloseSession", "SetSessionMode",
           "Authenticate", "SetProvider", "DisableProvider", "Logout", "WriteTextFile", "ReleaseTerminal",
           "KillTerminal"],
    "v2": ["LoginAuth", "SetProvider", "DisableProvider", "DeleteSession", "ArchiveSession", "UnarchiveSession",
           "CloseSession", "CancelToolCall", "CancelTerminal", "LogoutAuth"],
}

# What must have been advertised before a method may be called; the schema does not say it.
BASELINE = ""
GATES = {
    "v1": {
        "authenticate": "authMethods", "logout": "agentCapabilities.auth.logout",
        "session/load": "agentCapabilities.loadSession",
        "session/resume": "agentCapabilities.sessionCapabilities.resume",
        "session/list": "agentCapabilities.sessionCapabilities.list",
        "session/delete": "agentCapabilities.sessionCapabilities.delete",
        "session/close": "agentCapabilities.sessionCapabilities.close",
        "session/fork": "agentCapabilities.sessionCapabilities.fork",
        "session/archive": "agentCapabilities.sessionCapabilities.archive",
        "session/unarchive": "agentCapabilities.sessionCapabilities.archive",
        "session/status": "agentCapabilities.sessionCapabilities.status",
        "session/set_title": "agentCapabilities.sessionCapabilities.title",
        "session/set_mode": "modes", "session/set_config_option": "configOptions",
        "auth/status": "agentCapabilities.auth.status", "auth/status_update": "agentCapabilities.auth.status",
        "providers/list": "agentCapabilities.providers", "providers/set": "agentCapabilities.providers",
        "providers/disable": "agentCapabilities.providers",
        "mcp/message": "agentCapabilities.mcpCapabilities.acp",
        "fs/read_text_file": "clientCapabilities.fs.readTextFile",
        "fs/write_text_file": "clientCapabilities.fs.writeTextFile",
        "terminal/create": "clientCapabilities.terminal", "terminal/output": "clientCapabilities.terminal",
        "terminal/wait_for_exit": "clientCapabilities.terminal", "terminal/kill": "clientCapabilities.terminal",
        "terminal/release": "clientCapabilities.terminal",
        "elicitation/create": "clientCapabilities.elicitation",
        "elicitation/complete": "clientCapabilities.elicitation.url",
        "initialize": BASELINE, "session/new": BASELINE, "session/prompt": BASELINE, "session/cancel": BASELINE,
        "session/update": BASELINE, "session/request_permission": BASELINE, "$/cancel_request": BASELINE,
        "proxy/initialize": BASELINE, "proxy/successor": BASELINE,
    },
    "v2": {
        "auth/login": "authMethods", "auth/logout": "authMethods",
        "session/new": "capabilities.session", "session/resume": "capabilities.session",
        "session/list": "capabilities.session", "session/close": "capabilities.session",
        "session/prompt": "capabilities.session", "session/cancel": "capabilities.session",
        "session/update": "capabilities.session", "session/delete": "capabilities.session.delete",
        "session/fork": "capabilities.session.fork", "session/archive": "capabilities.session.archive",
        "session/unarchive": "capabilities.session.archive", "session/status": "capabilities.session.status",
        "session/set_title": "capabilities.session.title", "session/set_config_option": "configOptions",
        "tool_call/cancel": "tool_call_update.capabilities.cancel",
        "terminal/cancel": "terminal_update.capabilities.cancel",
        "auth/status": "capabilities.auth.status", "auth/status_update": "capabilities.auth.status",
        "providers/list": "capabilities.providers", "providers/set": "capabilities.providers",
        "providers/disable": "capabilities.providers", "mcp/message": "capabilities.session.mcp.acp",
        "elicitation/create": "capabilities.elicitation", "elicitation/complete": "capabilities.elicitation.url",
        "initialize": BASELINE, "session/request_permission": BASELINE, "$/cancel_request": BASELINE,
        "proxy/initialize": BASELINE, "proxy/successor": BASELINE,
    },
}

MARKS = {"x-deserialize-default-on-error": "default_on_error",
         "x-deserialize-skip-invalid-items": "skip_invalid_items",
         "x-deserialize-default-on-null": "default_on_null"}
INTEGERS = {"int32": "std::int32_t", "int64": "std::int64_t", "uint16": "std::uint16_t", "uint32": "std::uint32_t",
            "uint64": "std::uint64_t"}
RANGES = {"uint16": (0, 65535), "uint32": (0, None), "uint64": (0, None), "int32": (None, None),
          "int64": (None, None)}
