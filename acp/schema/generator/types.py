"""Definitions: aliases, enumerations, objects and unions, as C++ and as tables."""

import json
import re

from generator.choices import ARM_NAMES, FIRST_ARMS, FLAT_UNIONS, INTEGERS, NULL_IS_EMPTY
from generator.values import Value, Values, camel, cpp_name, quote


class Types(Values):
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
        self.open_enums.append(name)
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
