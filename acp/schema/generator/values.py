"""Values and members: the C++ type of each, and the table that describes it."""

import json
import re
from pathlib import Path

from generator.choices import INTEGERS, KEYWORDS, MARKS, RANGES

SCHEMAS = Path(__file__).resolve().parents[3] / "node_modules/@agentclientprotocol/sdk/schema"


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


class Values:
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
        self.open_enums = []

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
