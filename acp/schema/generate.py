#!/usr/bin/env python3
"""Writes v1.h, v1.cc, v2.h and v2.cc from the JSON Schema files of the official SDK.

    python3 acp/schema/generate.py            write the four files
    python3 acp/schema/generate.py --check    compare them with a fresh generation, exit 1 if they differ

The schema files come from npm (`npm ci` puts them into node_modules). The unstable schema is the stable one
with additions, so it gives the types; what the stable one lacks is marked unstable.
"""
import argparse
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCHEMAS = HERE.parent.parent / "node_modules/@agentclientprotocol/sdk/schema"
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


def camel(tag):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", tag))


def cpp_name(name):
    name = re.sub(r"\W", "_", name)
    return name + "_" if name in KEYWORDS else name


def quote(text):
    return json.dumps(text, ensure_ascii=False)


class Value:
    """A C++ type, the table that describes it, and the names of the definitions it is made of."""

    def __init__(self, cpp, table, needs=(), raw=False, container=False, enum=None):
        self.cpp, self.table, self.needs, self.raw = cpp, table, list(needs), raw
        self.container, self.enum = container, enum


class Version:
    def __init__(self, name):
        self.name = name
        self.defs = json.loads((SCHEMAS / name / "schema.unstable.json").read_text())["$defs"]
        self.stable = json.loads((SCHEMAS / name / "schema.json").read_text())["$defs"]
        self.header = {}        # C++ text of each type, by its C++ name
        self.needs = {}         # what must stand before it
        self.composites = {}    # tables of arrays and the like, by name
        self.tables = []        # the rest of the .cc, in order
        self.bounds = {}
        self.unions = {}        # C++ names of unions already made, with their arms
        self.one_of = {}        # the arms of those that derive from OneOf
        self.enum_tables = []

    # ---- values ----------------------------------------------------------------------------------------

    def ref_value(self, name):
        schema = self.defs[name]
        kind = self.kind(name)
        if kind == "alias":
            return Value(name, self.ref_value(schema["allOf"][0]["$ref"].split("/")[-1]).table, [name])
        if kind == "any":
            return Value("Json", f"{name}_type", [name], raw=True)
        if kind in ("string", "integer", "codes"):
            return Value(name, f"{name}_type", [name])
        if kind == "enum":
            first = cpp_name(self.enum_values(schema)[0])
            return Value(name, f"json::EnumTable<{name}>::type", [name], enum=f"{name}::{first}")
        return Value(name, f"{name}::json_type", [name])

    def kind(self, name):
        schema = self.defs[name]
        arms = schema.get("anyOf") or schema.get("oneOf")
        keys = {k for k in schema if k not in ("description", "title") and not k.startswith("x-")}
        if not keys:
            return "any"
        if keys == {"allOf"}:
            return "alias"
        if schema.get("type") == "string":
            return "string"
        if schema.get("type") == "integer":
            return "integer"
        if schema.get("type") == "object":
            return "object"
        if all(a.get("type") == "integer" for a in arms):
            return "codes"
        if all(a.get("type") == "string" for a in arms) and any("const" in a for a in arms):
            return "enum" if all("const" in a for a in arms) else "open_enum"
        return "union"

    def enum_values(self, schema):
        return [a["const"] for a in schema.get("anyOf") or schema.get("oneOf") if "const" in a]

    def composite(self, name, text):
        self.composites.setdefault(name, f"constexpr Type {name} = {text};")
        return name

    def bound(self, schema):
        """The name of a Bounds table for what the C++ type does not say by itself, or None."""
        parts = []
        lowest, highest = RANGES.get(schema.get("format"), (None, None))
        if "minimum" in schema and schema["minimum"] != lowest:
            parts.append(f".minimum = {int(schema['minimum'])}")
        if "maximum" in schema and schema["maximum"] != highest:
            parts.append(f".maximum = {int(schema['maximum'])}")
        if "minLength" in schema:
            parts.append(f".min_length = {schema['minLength']}")
        if "minItems" in schema:
            parts.append(f".min_items = {schema['minItems']}")
        if "format" in schema and schema.get("type") in ("string", ["string", "null"]):
            parts.append(f".format = {quote(schema['format'])}")
        if "contentEncoding" in schema:
            parts.append(f".encoding = {quote(schema['contentEncoding'])}")
        if not parts:
            return None
        name = "bounds_" + re.sub(r"\W+", "_", "_".join(p.lstrip(".") for p in parts)).strip("_")
        self.bounds[name] = f"constexpr json::Bounds {name}{{{', '.join(parts)}}};"
        return name

    def value(self, schema):
        """What a schema without null stands for."""
        if "$ref" in schema:
            return self.ref_value(schema["$ref"].split("/")[-1])
        if len(schema.get("allOf", [])) == 1:
            return self.value(schema["allOf"][0])
        kind = schema.get("type")
        if kind is None and "anyOf" in schema:
            return self.choice(schema["anyOf"])
        if kind is None:
            return Value("Json", "json::any_type", raw=True)
        if kind == "string":
            bound = self.bound(schema)
            if not bound:
                return Value("std::string", "json::string_type")
            table = self.composite("string_" + bound, f"make::plain<std::string>(Kind::string, \"\", &{bound})")
            return Value("std::string", table)
        if kind == "boolean":
            return Value("bool", "json::boolean_type")
        if kind == "null":
            return Value("std::monostate", "json::null_type")
        if kind == "number":
            bound = self.bound(schema)
            if not bound:
                return Value("double", "json::double_type")
            return Value("double", self.composite("double_" + bound, f"make::plain<double>(Kind::number, \"\", &{bound})"))
        if kind == "integer":
            form = schema["format"]
            bound = self.bound(schema)
            if not bound:
                return Value(INTEGERS[form], f"json::{form}_type")
            return Value(INTEGERS[form], self.composite(f"{form}_{bound}",
                                                        f"make::plain<{INTEGERS[form]}>(Kind::{form}, \"\", &{bound})"))
        if kind == "array":
            item = self.value(schema["items"])
            bound = self.bound(schema)
            name = "array_of_" + re.sub(r"\W+", "_", item.table).removesuffix("_json_type").removesuffix("_type")
            name += "_" + bound if bound else ""
            extra = f", &{bound}" if bound else ""
            table = self.composite(name, f"make::array<{item.cpp}>({item.table}{extra})")
            return Value(f"std::vector<{item.cpp}>", table, item.needs, container=True)
        if kind == "object":
            extra = schema.get("additionalProperties")
            if extra is True or extra == {} or extra is None:
                return Value("Json", "json::any_object_type", raw=True)
            item = self.value(extra)
            name = "map_of_" + re.sub(r"\W+", "_", item.table).removesuffix("_json_type").removesuffix("_type")
            return Value(f"Map<{item.cpp}>", self.composite(name, f"make::map<{item.cpp}>({item.table})"), item.needs,
                         container=True)
        raise ValueError(schema)

    def choice(self, arms):
        """An untyped value that must be one of several definitions: params and results of envelopes."""
        names = [a["allOf"][0]["$ref"].split("/")[-1] for a in arms]
        values = [self.ref_value(n) for n in names]
        name = "choice_" + names[0] + f"_{len(names)}"
        pointers = ", ".join(f"&{v.table}" for v in values)
        self.composites.setdefault(name + "_list", f"constexpr const Type* {name}_list[] = {{{pointers}}};")
        return Value("Json", self.composite(name, f"make::choice({name}_list, false)"), [n for v in values for n in v.needs],
                     raw=True)

    def split_null(self, schema):
        """The schema without null, and whether null was in it."""
        kind = schema.get("type")
        if isinstance(kind, list):
            rest = [k for k in kind if k != "null"]
            assert len(rest) == 1, schema
            return {**schema, "type": rest[0]}, len(rest) < len(kind)
        arms = schema.get("anyOf", [])
        if any(a.get("type") == "null" for a in arms):
            rest = [a for a in arms if a.get("type") != "null"]
            if len(rest) == 1:
                return rest[0], True
            # The id of an error response: what RequestId is, or null.
            assert [a["type"] for a in rest] == ["integer", "string"], schema
            return {"$ref": "#/$defs/RequestId"}, True
        return schema, False

    # ---- members ---------------------------------------------------------------------------------------

    def member(self, owner, name, schema, required, unstable):
        """(C++ line, table line, needs)"""
        flags = ["required"] if required else []
        flags += [flag for mark, flag in MARKS.items() if schema.get(mark)]
        flags += ["unstable"] if unstable else []
        inner, nullable = self.split_null(schema)
        value = self.value(inner)
        cpp, table, initial = value.cpp, value.table, ""
        if value.raw:
            # Json holds null by itself, but not everywhere may it stand.
            if nullable and table == "json::any_object_type":
                table = "json::any_object_or_null_type"
            elif nullable and table.startswith("choice_"):
                self.composites.pop(table, None)
                table = self.composite(table + "_or_null", f"make::choice({table}_list, true)")
        elif nullable:
            base = re.sub(r"\W+", "_", table).removesuffix("_json_type").removesuffix("_type").removeprefix("json_")
            table = self.composite("nullable_" + base, f"make::nullable<{cpp}>({table})")
            cpp = f"Nullable<{cpp}>"
        elif not required and value.container:
            # Where the schema names a default, peers expect to see the member.
            flags += [] if "default" in schema else ["omit_empty"]
        elif not required and "default" not in schema:
            base = re.sub(r"\W+", "_", table).removesuffix("_json_type").removesuffix("_type").removeprefix("json_")
            table = self.composite("optional_" + base, f"make::optional<{cpp}>({table})")
            cpp = f"std::optional<{cpp}>"
        elif cpp == "bool":
            initial = " = false"
            flags += ["omit_false"] if unstable and not required else []
        elif cpp in INTEGERS.values() or cpp == "double" or self.is_number(value):
            initial = " = 0"
        elif value.enum:
            initial = f" = {value.enum}"
        initial = initial or " = {}"
        flag_text = " | ".join(f"json::{f}" for f in flags) or "0"
        fallback = quote(json.dumps(schema["default"], separators=(",", ":"))) if "default" in schema else "nullptr"
        line = f"  {cpp} {cpp_name(name)}{initial};" + ("  // unstable" if unstable else "")
        entry = (f"    {{{quote(chr(34) + name + chr(34) + ':')}, &{table}, offsetof({owner}, {cpp_name(name)}), "
                 f"{flag_text}, {fallback}}},")
        return line, entry, value.needs

    def is_number(self, value):
        return value.cpp in self.defs and self.kind(value.cpp) in ("integer", "codes")

    def object_parts(self, owner, schema, stable_schema, skip=()):
        lines, entries, needs = [], [], []
        required = schema.get("required", [])
        for name, prop in schema.get("properties", {}).items():
            if name in skip:
                continue
            unstable = stable_schema is not None and name not in stable_schema.get("properties", {})
            line, entry, need = self.member(owner, name, prop, name in required, unstable)
            lines.append(line)
            entries.append(entry)
            needs += need
        return lines, entries, needs

    # ---- definitions -----------------------------------------------------------------------------------

    def comment(self, name):
        schema = self.defs[name]
        notes = []
        if "x-method" in schema:
            notes.append(f"`{schema['x-method']}`")
        if name not in self.stable:
            notes.append("unstable")
        return "// " + ", ".join(notes) + "\n" if notes else ""

    def define(self, name):
        kind = self.kind(name)
        getattr(self, "define_" + kind)(name, self.defs[name])

    def define_alias(self, name, schema):
        target = schema["allOf"][0]["$ref"].split("/")[-1]
        self.header[name] = self.comment(name) + f"using {name} = {target};"
        self.needs[name] = [target]

    def define_any(self, name, schema):
        self.header[name] = self.comment(name) + f"using {name} = Json;"
        self.needs[name] = []
        self.composites[f"{name}_type"] = f"constexpr Type {name}_type = make::plain<Json>(Kind::raw, {quote(name)});"

    def define_string(self, name, schema):
        bound = self.bound(schema)
        extra = f", &{bound}" if bound else ""
        self.header[name] = self.comment(name) + f"using {name} = std::string;"
        self.needs[name] = []
        self.composites[f"{name}_type"] = (f"constexpr Type {name}_type = "
                                           f"make::plain<std::string>(Kind::string, {quote(name)}{extra});")

    def define_integer(self, name, schema):
        cpp = INTEGERS[schema["format"]]
        self.header[name] = self.comment(name) + f"using {name} = {cpp};"
        self.needs[name] = []
        self.composites[f"{name}_type"] = (f"constexpr Type {name}_type = "
                                           f"make::plain<{cpp}>(Kind::{schema['format']}, {quote(name)});")

    def define_codes(self, name, schema):
        known = [a for a in schema["anyOf"] if "const" in a]
        names = {a["const"]: re.sub(r"\W+", "_", a["title"].lower()) for a in known}
        constants = "".join(f"inline constexpr {name} {n} = {c};\n" for c, n in names.items())
        self.header[name] = (self.comment(name) + f"using {name} = std::int32_t;\n"
                             f"namespace error_code {{\n{constants}}}  // namespace error_code")
        self.needs[name] = []
        codes = ", ".join(str(c) for c in names)
        self.composites[f"{name}_codes"] = f"constexpr std::int32_t {name}_codes[] = {{{codes}}};"
        self.composites[f"{name}_type"] = (
            f"constexpr Type {name}_type = {{.kind = Kind::int32, .name = {quote(name)}, "
            f".life = &make::life<std::int32_t>, .size = sizeof(std::int32_t), .codes = {name}_codes}};")

    def define_enum(self, name, schema):
        values = self.enum_values(schema)
        self.header[name] = (self.comment(name) + f"enum class {name} : std::uint8_t "
                             f"{{ {', '.join(cpp_name(v) for v in values)} }};")
        self.needs[name] = []
        self.enum_tables.append(name)
        listed = ", ".join(quote(v) for v in values)
        self.tables.append(f"namespace {{\nconstexpr std::string_view {name}_values[] = {{{listed}}};\n}}\n")

    def define_open_enum(self, name, schema):
        values = self.enum_values(schema)
        listed = ", ".join(cpp_name(v) for v in values)
        self.header[name] = (
            self.comment(name) + f"struct {name} : json::OpenEnum {{\n"
            f"  enum Value : std::uint8_t {{ {listed}, unknown_ = not_listed }};\n"
            f"  {name}(Value value = {cpp_name(values[0])}) : OpenEnum{{value, {{}}}} {{}}\n"
            f"  static {name} other_value(std::string text) {{\n"
            f"    {name} value(unknown_);\n    value.unlisted = std::move(text);\n    return value;\n  }}\n"
            f"  operator Value() const {{ return static_cast<Value>(index); }}\n"
            f"  static const json::Type json_type;\n}};")
        self.needs[name] = []
        quoted = ", ".join(quote(v) for v in values)
        self.tables.append(f"namespace {{\nconstexpr std::string_view {name}_values[] = {{{quoted}}};\n}}\n"
                           f"constinit const Type {name}::json_type = make::open_enum<{name}>({quote(name)}, "
                           f"{name}_values);\n")

    def object_table(self, owner, entries, extra=()):
        fields = f"constexpr json::Field {owner}_fields[] = {{\n" + "\n".join(entries) + "\n};\n" if entries else ""
        parts = ([f".fields = {owner}_fields"] if entries else []) + list(extra)
        return f"{fields}constexpr json::Object {owner}_object{{{', '.join(parts)}}};\n"

    def define_object(self, name, schema):
        stable = self.stable.get(name)
        arms = schema.get("anyOf") or schema.get("oneOf")
        extra, skip, flat_line = [], [], ""
        needs = []
        if arms:
            member, union_name = FLAT_UNIONS[name]
            tag = self.tag_of(arms)
            skip = [tag] if tag else []
            needs.append(self.make_union(union_name, name, schema, stable, flat=True))
            flat_line = f"  {union_name} {cpp_name(member)} = {{}};\n"
            extra = [f".flat = &{union_name}_union", f".flat_offset = offsetof({name}, {cpp_name(member)})",
                     f".flat_name = {quote(member)}"]
        lines, entries, more = self.object_parts(name, schema, stable, skip)
        if schema.get("additionalProperties") is True:
            flat_line += "  Map<Json> additional = {};  // members beyond these\n"
            extra.append(f".additional = offsetof({name}, additional)")
        if name.removesuffix("Response") in NULL_IS_EMPTY[self.name] and name.endswith("Response"):
            extra.append(".null_is_empty = true")
        body = "\n".join(lines)
        # _meta last, whatever stands among the rest.
        self.header[name] = (self.comment(name) + f"struct {name} {{\n{flat_line}{body}\n"
                             f"  static const json::Type json_type;\n}};")
        self.needs[name] = needs + more
        self.tables.append(f"namespace {{\n{self.object_table(name, entries, extra)}}}\n"
                           f"constinit const Type {name}::json_type = make::object<{name}>({quote(name)}, "
                           f"{name}_object);\n")

    def define_union(self, name, schema):
        self.make_union(name, name, schema, self.stable.get(name), flat=False)
        self.tables.append(f"constinit const Type {name}::json_type = make::variant<{name}>({quote(name)}, "
                           f"{name}_union);\n")

    # ---- unions ----------------------------------------------------------------------------------------

    def tag_of(self, arms):
        for arm in arms:
            for prop, schema in arm.get("properties", {}).items():
                if "const" in schema:
                    return prop
        return None

    def arm_key(self, arm, tag):
        if tag and "const" in arm.get("properties", {}).get(tag, {}):
            return arm["properties"][tag]["const"]
        return None

    def arm_struct(self, cpp, schema, skip):
        """A struct for an arm that the schema writes in place. Returns its Value."""
        lines, entries, needs = self.object_parts(cpp, schema, None, skip)
        body = "\n".join(lines) + "\n" if lines else ""
        self.header[cpp] = f"struct {cpp} {{\n{body}  static const json::Type json_type;\n}};"
        self.needs[cpp] = needs
        self.tables.append(f"namespace {{\n{self.object_table(cpp, entries)}}}\n"
                           f"constinit const Type {cpp}::json_type = make::object<{cpp}>(\"\", {cpp}_object);\n")
        return Value(cpp, f"{cpp}::json_type", [cpp])

    def derived_arm(self, cpp, base):
        self.header[cpp] = f"struct {cpp} : {base} {{\n  static const json::Type json_type;\n}};"
        self.needs[cpp] = [base]
        self.tables.append((f"constinit const Type {cpp}::json_type = make::object<{cpp}>({quote(base)}, "
                            f"{base}_object);\n", base))
        return Value(cpp, f"{cpp}::json_type", [cpp])

    def catch_all(self, union_name, owner, arm, tag):
        """A table for what the schema's catch-all asks for beside the tag, or None."""
        others = {n: p for n, p in arm.get("properties", {}).items() if n != tag}
        nested = arm.get("anyOf") or arm.get("oneOf")
        if not others and not nested:
            return None
        cpp = union_name + "Other"
        lines, entries, _ = self.object_parts(cpp, {"properties": others, "required": arm.get("required", [])}, None)
        extra = []
        if nested:
            scope = self.make_union("ElicitationScope", owner, arm, None, flat=True)
            lines.append(f"  {scope} scope = {{}};")
            extra = [f".flat = &{scope}_union", f".flat_offset = offsetof({cpp}, scope)", ".flat_name = \"scope\""]
        self.tables.append(f"namespace {{\nstruct {cpp} {{\n" + "\n".join(lines) + "\n};\n"
                           f"{self.object_table(cpp, entries, extra)}"
                           f"constexpr Type {cpp}_type = make::object<{cpp}>(\"\", {cpp}_object);\n}}\n")
        return f"{cpp}_type"

    def make_union(self, cpp, owner, schema, stable_schema, flat):
        """Emits a struct derived from OneOf, or from std::variant if its arms are scalars. Returns its C++ name."""
        arms = schema.get("anyOf") or schema.get("oneOf")
        if cpp in self.unions:
            return cpp
        self.unions[cpp] = True
        tag = self.tag_of(arms)
        arms = sorted(arms, key=lambda a: (owner, self.arm_key(a, tag) or a.get("title")) not in FIRST_ARMS)
        stable_arms = (stable_schema or {}).get("anyOf") or (stable_schema or {}).get("oneOf") or []
        stable_tags = {self.arm_key(a, tag) for a in stable_arms}
        refs = [json.dumps(a.get("allOf")) for a in arms if a.get("allOf")]

        rows, types, needs = [], [], []
        parts = [f".quoted = {quote(chr(34) + tag + chr(34) + ':') if tag else quote('')}"]
        unknown = None
        for index, arm in enumerate(arms):
            key = self.arm_key(arm, tag)
            unstable = bool(stable_arms) and key is not None and key not in stable_tags
            label = key or arm.get("title", str(index))
            if tag and "not" in arm:
                unknown = arm
                continue
            if tag and key is None and arm["properties"][tag].get("type") == "null" if tag in arm.get(
                    "properties", {}) else False:
                value = self.arm_struct(ARM_NAMES[(owner, "none")], {}, ())
                parts.append(f".none = {len(rows)}")
            elif arm.get("allOf") or "$ref" in arm:
                value = self.value(arm)
                base = value.cpp
                if refs.count(json.dumps(arm.get("allOf"))) > 1:
                    value = self.derived_arm(ARM_NAMES[(owner, label)], base)
                if tag and key is None:
                    parts.append(f".fallback = {len(rows)}")
            elif arm.get("type") == "object":
                value = self.arm_struct(ARM_NAMES.get((owner, label), owner + camel(label)), arm, [tag] if key else ())
                if tag and key is None:
                    parts.append(f".fallback = {len(rows)}")
            else:
                value = self.value(arm)
            types.append(value.cpp)
            needs += value.needs
            flags = ", json::unstable" if unstable else ""
            rows.append(f"    {{{quote(key or '')}, &{value.table}{flags}}},")
        if tag:
            types.append("Unknown")
            rows.append("    {\"\", nullptr},")
            parts.append(f".unknown = {len(rows) - 1}")
        if unknown is not None:
            parts.append(".open = true")
            requires = self.catch_all(cpp, owner, unknown, tag)
            if requires:
                parts.append(f".unknown_requires = &{requires}")
        if not tag and "oneOf" in schema:
            parts.append(".exclusive = true")

        base = "variant" if any(re.match(r"bool|double|std::(?!vector)", t) for t in types) else "OneOf"
        if base == "OneOf":
            self.one_of[cpp] = types
        extra = ""
        if cpp == "ContentBlock":
            extra = ("  // A string is a text block.\n"
                     "  ContentBlock(std::string text) : OneOf(TextContent{.text = std::move(text)}) {}\n"
                     "  ContentBlock(std::string_view text) : ContentBlock(std::string(text)) {}\n"
                     "  ContentBlock(const char* text) : ContentBlock(std::string(text)) {}\n")
        described = "" if flat else "  static const json::Type json_type;\n"
        comment = self.comment(cpp) if cpp in self.defs else ""
        if base == "OneOf":
            extra = f"  {cpp}() noexcept {{}}\n" + extra
        self.header[cpp] = (f"{comment}struct {cpp} : {'std::' if base == 'variant' else ''}{base}<{', '.join(types)}> "
                            f"{{\n  using {base}::{base};\n{extra}{described}}};")
        self.needs[cpp] = needs
        order = {".quoted": 0, ".unknown": 3, ".fallback": 4, ".none": 5, ".open": 6, ".exclusive": 7,
                 ".unknown_requires": 8}
        parts += [f".arms = {cpp}_arms", f".ops = &make::variant_ops<{cpp}, {cpp}::variant>"]
        order.update({".arms": 1, ".ops": 2})
        parts.sort(key=lambda p: order[p.split(" ")[0]])
        self.tables.append(f"namespace {{\nconstexpr json::Arm {cpp}_arms[] = {{\n" + "\n".join(rows) +
                           f"\n}};\nconstexpr json::Union {cpp}_union{{{', '.join(parts)}}};\n}}\n")
        return cpp

    # ---- methods ---------------------------------------------------------------------------------------

    def methods(self):
        rows = []
        for name, schema in self.defs.items():
            if "x-method" not in schema or name.endswith("Response"):
                continue
            notification = name.endswith("Notification")
            method = schema["x-method"]
            response = None
            if not notification:
                response = next(n for n, s in self.defs.items() if n.endswith("Response")
                                and s.get("x-method") == method)
            rows.append((method, notification, schema["x-side"], name, response, name not in self.stable))
        sides = ["agent", "client", "protocol", "proxy"]
        rows.sort(key=lambda r: (sides.index(r[2]), r[0], r[1]))
        return rows

    # ---- files -----------------------------------------------------------------------------------------

    def build(self):
        # Names for scalars come first: other tables point to theirs.
        for name in sorted(self.defs, key=lambda n: self.kind(n) not in ("string", "integer", "codes", "any")):
            self.define(name)

    def ordered(self):
        """(topic, C++ names) with every type behind what it is made of."""
        compiled = [(title, re.compile(pattern)) for title, pattern in TOPICS]
        topic_of = {n: next(i for i, (_, p) in enumerate(compiled) if p.fullmatch(n)) for n in self.header}
        done, result = set(), [[] for _ in TOPICS]

        def visit(name, topic):
            if name in done:
                return
            done.add(name)
            for need in self.needs[name]:
                if need != name:
                    visit(need, topic)
            result[topic].append(name)

        for topic in range(len(TOPICS)):
            for name in [n for n in self.header if topic_of[n] == topic]:
                visit(name, topic)
        return [(TOPICS[i][0], names) for i, names in enumerate(result) if names]

    def is_enum(self, text):
        return re.match(r"(// unstable\n)?enum class ", text) is not None

    def names_text(self):
        """Every struct declared, every enum defined: enough for a header that only mentions them."""
        enums, structs = [], []
        for _, names in self.ordered():
            for name in names:
                text = self.header[name]
                if self.is_enum(text):
                    enums.append(text + "\n")
                structs += re.findall(r"^struct (\w+) ", text, re.M)
        return (BANNER.format(version=self.name, other="2" if self.name == "v2" else "1") +
                "// The names alone: a header that only mentions messages compiles quicker.\n"
                "#pragma once\n\n#include <cstdint>\n\n"
                f"namespace acp::{self.name} {{\n\n" + "".join(enums) + "\n" +
                "".join(f"struct {name};\n" for name in sorted(set(structs))) +
                f"\n}}  // namespace acp::{self.name}\n")

    def header_text(self):
        out = [BANNER.format(version=self.name, other="2" if self.name == "v2" else "1"),
               "#pragma once\n\n#include <cstdint>\n#include <optional>\n#include <span>\n#include <string>\n"
               "#include <string_view>\n#include <utility>\n#include <variant>\n#include <vector>\n\n"
               '#include "acp/json/described.h"\n#include "acp/json/json.h"\n#include "acp/json/map.h"\n'
               '#include "acp/json/nullable.h"\n#include "acp/json/one_of.h"\n#include "acp/json/open_enum.h"\n#include "acp/json/unknown.h"\n'
               f'#include "acp/schema/{self.name}_names.h"\n\n'
               "namespace acp {\nstruct Definition;\nstruct Method;\n}  // namespace acp\n\n"
               f"namespace acp::{self.name} {{\n\nusing acp::operator==;\n"]
        for title, names in self.ordered():
            out.append(f"\n// ==== {title} ====\n")
            previous = ""
            for name in names:
                text = self.header[name]
                if self.is_enum(text):
                    continue  # in the header of names
                one_line = text.count("\n") == 0 and previous.count("\n") == 0
                out.append(("" if one_line and previous else "\n") + text + "\n")
                previous = text
        out.append("\n// ==== Requests and their answers ====\n\n"
                   "// Nowhere defined: `decltype(response_of(request))` is the type of the answer.\n")
        for _, notification, side, params, response, _ in self.methods():
            if not notification and side != "proxy":
                out.append(f"{response} response_of(const {params}&);\n")
        out.append("\n// The text blocks, one after the other; other blocks say nothing.\n"
                   "std::string text_of(std::span<const ContentBlock> blocks);\n\n"
                   "// Every definition of the schema, and every method (acp/schema/registry.h).\n"
                   "std::span<const Definition> definitions();\nstd::span<const Method> methods();\n"
                   f"\n}}  // namespace acp::{self.name}\n\nnamespace acp::json {{\n\n")
        for name in sorted(self.enum_tables):
            out.append(f"template <>\nstruct EnumTable<acp::{self.name}::{name}> {{\n  static const Type type;\n}};\n")
        out.append("\n}  // namespace acp::json\n")
        return "".join(out)

    def one_of_members(self):
        """The unions' members: v1.h declares them only."""
        out = []
        for union, arms in self.one_of.items():
            arms = [re.sub(r"(?<![\w:])(?!(?:Unknown|Json)\b)(?=[A-Z])", f"{self.name}::", arm) for arm in arms]
            out.append(f"template class OneOf<{', '.join(arms)}>;\n")
            for arm in arms:
                out.append(f"template {self.name}::{union}::OneOf::OneOf({arm});\n"
                           f"template {arm}& {self.name}::{union}::OneOf::emplace<{arm}>();\n")
            out.append("\n")
        return "".join(out)

    def source_text(self):
        # A table stands behind those that it takes values from: objects behind their fields' composites (those
        # are all first), derived arms behind their base.
        plain = [t for t in self.tables if isinstance(t, str)]
        derived = [t for t in self.tables if not isinstance(t, str)]
        tables = []
        for table in plain:
            tables.append(table)
            for text, base in derived:
                if f"constexpr json::Object {base}_object{{" in table:
                    tables.append(text)
        enums = "".join(f"constinit const Type EnumTable<acp::{self.name}::{n}>::type = "
                        f"make::enumerated<acp::{self.name}::{n}>({quote(n)}, acp::{self.name}::{n}_values);\n"
                        for n in sorted(self.enum_tables))
        rows = []
        for name in sorted(self.defs):
            value = self.ref_value(name)
            schema = self.defs[name]
            target = schema["allOf"][0]["$ref"].split("/")[-1] if self.kind(name) == "alias" else None
            rows.append(f"    {{{quote(name)}, &{value.table}, {str(name not in self.stable).lower()}, "
                        f"{quote(target) if target else 'nullptr'}}},\n")
        methods = []
        for method, notification, side, params, response, unstable in self.methods():
            result = f"&{self.ref_value(response).table}" if response else "nullptr"
            methods.append(f"    {{{quote(method)}, Side::{side}, {str(notification).lower()}, "
                           f"{quote(params)}, &{self.ref_value(params).table}, {quote(response or '')}, {result}, "
                           f"{str(unstable).lower()}, {quote(GATES[self.name][method])}}},\n")
        return "".join([
            BANNER.format(version=self.name, other=self.name[1]),
            f'#include "acp/schema/{self.name}.h"\n\n#include <cstddef>\n\n'
            '#include "acp/json/one_of_members.h"\n#include "acp/json/type.h"\n#include "acp/schema/registry.h"\n\n',
            "// Compilers give members of any class without virtual bases a fixed offset; the standard leaves it to\n"
            "// them, and g++ says so.\n#if defined(__GNUC__)\n"
            '#pragma GCC diagnostic ignored "-Winvalid-offsetof"\n#endif\n\n',
            f"namespace acp::{self.name} {{\n\nusing json::Kind;\nusing json::Type;\nnamespace make = json::make;\n\n",
            "namespace {\n\n" + "\n".join(self.bounds.values()) + "\n\n" + "\n".join(self.composites.values()) +
            "\n\n}  // namespace\n\n", "\n".join(tables),
            "\nnamespace {\n\nconstexpr Definition definition_table[] = {\n", *rows, "};\n\n",
            "constexpr Method method_table[] = {\n", *methods, "};\n\n}  // namespace\n\n",
            "std::span<const Definition> definitions() { return definition_table; }\n"
            "std::span<const Method> methods() { return method_table; }\n\n"
            "std::string text_of(std::span<const ContentBlock> blocks) {\n  std::string text;\n"
            "  for (const ContentBlock& block : blocks)\n"
            "    if (const auto* content = std::get_if<TextContent>(&block)) text += content->text;\n"
            "  return text;\n}\n\n",
            f"}}  // namespace acp::{self.name}\n\nnamespace acp::json {{\n\n{enums}\n}}  // namespace acp::json\n\n",
            f"namespace acp {{\n\n{self.one_of_members()}}}  // namespace acp\n"])


BANNER = """// Generated by acp/schema/generate.py from the schema of @agentclientprotocol/sdk: do not edit.
// ACP version {other}. Each type is described at https://agentclientprotocol.com/protocol/schema
"""


def formatted(path, text):
    command = ["clang-format-16", "--style=file", f"--assume-filename={path}"]
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=HERE).stdout
    except FileNotFoundError:
        sys.exit("generate.py: clang-format-16 is needed (Debian: apt-get install clang-format-16)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    if not SCHEMAS.is_dir():
        sys.exit("generate.py: the schema files are not there; run npm ci first")
    stale = False
    for name in ("v1", "v2"):
        version = Version(name)
        version.build()
        for path, text in ((HERE / f"{name}_names.h", version.names_text()), (HERE / f"{name}.h", version.header_text()),
                           (HERE / f"{name}.cc", version.source_text())):
            text = formatted(path, text)
            old = path.read_text() if path.exists() else ""
            if check and text != old:
                stale = True
                sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True),
                                                           f"{path.name}, checked in", f"{path.name}, generated"))
            elif not check and text != old:
                path.write_text(text)
                print(f"wrote {path.name}")
        print(f"{name}: {len(version.defs)} definitions, {len(version.stable)} of them stable, "
              f"{len(version.methods())} methods")
    if stale:
        sys.exit("generate.py: the files differ from what the schema gives; run it without --check")


if __name__ == "__main__":
    main()
