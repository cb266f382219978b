#include "cli/commands/mcp_arguments.h"

namespace acp::cli {

namespace {

bool is_required(JsonView schema, const std::string& name) {
  for (JsonView each : schema["required"].elements())
    if (each.as_string() == name) return true;
  return false;
}

// "number", "string|null"; empty if the schema does not say.
std::string type_of(JsonView property) {
  if (const auto type = property["type"].as_string()) return *type;
  std::string types;
  for (JsonView type : property["type"].elements())
    types += (types.empty() ? "" : "|") + type.as_string().value_or("");
  return types;
}

// As JSON if it is any, else as text.
Json as_json_or_text(const std::string& text) {
  auto value = Json::parse(text);
  return value ? std::move(*value) : Json(text);
}

Json typed(const std::string& name, JsonView property, const std::string& text) {
  const std::string type = type_of(property);
  if (type == "string") return text;
  if (type.empty() || type.find('|') != std::string::npos) return as_json_or_text(text);
  auto value = Json::parse(text);
  const bool fits = value && (type == "number"    ? value->is_number()
                              : type == "integer" ? value->as_int64().has_value()
                              : type == "boolean" ? value->is_boolean()
                              : type == "array"   ? value->is_array()
                              : type == "object"  ? value->is_object()
                              : type == "null"    ? value->is_null()
                                                  : true);
  if (!fits) {
    const bool vowel =
        !type.empty() && std::string_view("aeiou").find(type[0]) != std::string::npos;
    throw BadUsage(name + ": expected " + (vowel ? "an " : "a ") + type + ", got '" + text + "'");
  }
  return std::move(*value);
}

std::string names_of(JsonView schema) {
  std::string names;
  for (const auto& [name, property] : schema["properties"].members())
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "it takes none" : "only: " + names;
}

struct Pair {
  std::string name, value;
};

std::vector<Pair> pairs(const std::vector<std::string>& words) {
  std::vector<Pair> result;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw BadUsage("'" + word + "' is neither name=value nor a JSON object");
    result.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return result;
}

// The one word that is a JSON object; absent if there is none.
Json object_of(const std::vector<std::string>& words) {
  if (words.size() != 1 || !words.front().starts_with('{')) return {};
  auto object = Json::parse(words.front());
  if (!object) throw BadUsage("the arguments are no JSON: " + object.error().message());
  return std::move(*object);
}

}  // namespace

Json tool_arguments(JsonView schema, const std::vector<std::string>& words) {
  Json arguments = object_of(words);
  if (arguments.absent()) {
    arguments = Json::object();
    const bool closed = schema["additionalProperties"].as_bool() == false;
    for (const auto& [name, value] : pairs(words)) {
      const JsonView property = schema["properties"][name];
      if (property.absent() && closed)
        throw BadUsage("there is no argument '" + name + "', " + names_of(schema));
      arguments.set(name, typed(name, property, value));
    }
  }
  for (JsonView each : schema["required"].elements()) {
    const std::string name = each.as_string().value_or("");
    if (!arguments[name].absent()) continue;
    const std::string type = type_of(schema["properties"][name]);
    throw BadUsage("an argument is missing: " + name + (type.empty() ? "" : " (" + type + ")"));
  }
  return arguments;
}

Json prompt_arguments(const std::vector<std::string>& words) {
  Json arguments = object_of(words);
  if (!arguments.absent()) return arguments;
  arguments = Json::object();
  for (const auto& [name, value] : pairs(words)) arguments.set(name, value);
  return arguments;
}

std::string describe_arguments(JsonView schema) {
  std::string text;
  for (const auto& [name, property] : schema["properties"].members()) {
    const std::string type = type_of(property);
    text += (text.empty() ? "" : " ") + name + (is_required(schema, name) ? "" : "?") +
            (type.empty() ? "" : ":" + type);
  }
  return text;
}

}  // namespace acp::cli
