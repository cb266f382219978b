// acp schema: the protocol's types, and messages checked against them.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/json/codec.h"
#include "acp/schema/registry.h"
#include "cli/command.h"
#include "cli/commands/schema_check.h"
#include "cli/did_you_mean.h"

namespace acp::cli {
namespace {

// ---- list
// ------------------------------------------------------------------------------------------------

Json method_json(const Method& method) {
  Json out = Json::object({{"name", method.name},
                           {"kind", method.notification ? "notification" : "request"},
                           {"handledBy", to_string(method.side)},
                           {"params", method.params_name}});
  if (!method.notification) out.set("result", method.result_name);
  if (!method.gate.empty()) out.set("gate", method.gate);
  if (method.unstable) out.set("unstable", true);
  return out;
}

int list(int protocol, bool stable_only, bool as_json) {
  const Tables tables(protocol);
  for (const Method& method : tables.methods) {
    if (stable_only && method.unstable) continue;
    if (as_json) {
      std::cout << method_json(method).text() << "\n";
      continue;
    }
    std::cout << "method  " << method.name
              << std::string(method.name.size() < 28 ? 28 - method.name.size() : 1, ' ')
              << (method.notification ? "notification" : "request     ") << "  handled by "
              << to_string(method.side) << (method.unstable ? "  (unstable)" : "") << "\n";
  }
  for (const Definition& definition : tables.definitions) {
    if (stable_only && definition.unstable) continue;
    if (as_json) {
      Json out = Json::object({{"type", definition.name}});
      if (definition.unstable) out.set("unstable", true);
      std::cout << out.text() << "\n";
    } else {
      std::cout << "type    " << definition.name << (definition.unstable ? "  (unstable)" : "")
                << "\n";
    }
  }
  return 0;
}

// ---- show
// ------------------------------------------------------------------------------------------------

std::string bounds_text(JsonView field) {
  std::string text;
  const auto add = [&](const char* key, const char* label) {
    if (!field[key].absent())
      text += std::string(text.empty() ? "" : ", ") + label + std::string(field[key].text());
  };
  add("minimum", "at least ");
  add("maximum", "at most ");
  add("minLength", "length at least ");
  add("minItems", "items at least ");
  if (!field["format"].absent()) text += (text.empty() ? "" : ", ") + *field["format"].as_string();
  if (!field["encoding"].absent())
    text += (text.empty() ? "" : ", ") + *field["encoding"].as_string();
  return text.empty() ? "" : " (" + text + ")";
}

void print_fields(JsonView fields, const std::string& indent) {
  std::size_t width = 0;
  for (JsonView field : fields.elements())
    width = std::max(width, field["name"].as_string()->size());
  for (JsonView field : fields.elements()) {
    const std::string name = *field["name"].as_string();
    std::cout << indent << name << (field["required"].absent() ? '?' : '!')
              << std::string(width - name.size() + 2, ' ') << *field["type"].as_string()
              << bounds_text(field);
    if (!field["default"].absent()) std::cout << "  = " << field["default"].text();
    if (!field["unstable"].absent()) std::cout << "  unstable";
    if (!field["defaultOnError"].absent()) std::cout << "  ~ a bad value is taken as absent";
    if (!field["skipInvalidItems"].absent()) std::cout << "  ~ bad items are skipped";
    if (!field["defaultOnNull"].absent()) std::cout << "  ~ null is taken as empty";
    std::cout << "\n";
  }
}

void print_union(JsonView table) {
  const std::optional<std::string> tag = table["tag"].as_string();
  std::cout << (tag ? "  told apart by `" + *tag + "`:\n" : std::string("  one of:\n"));
  for (JsonView arm : table["arms"].elements()) {
    std::cout << "    " << (tag ? arm["tag"].as_string().value_or("(none)") + ": " : "")
              << arm["type"].as_string().value_or(arm["fields"].size() == 0 ? "nothing more" : "")
              << (arm["unstable"].absent() ? "" : "  unstable") << "\n";
    print_fields(arm["fields"], "      ");
  }
  if (!table["open"].absent()) std::cout << "    anything else is kept as it came\n";
  if (!table["exactlyOne"].absent()) std::cout << "    exactly one of them\n";
}

void print_type(const Definition& definition) {
  const Json description = json::describe(*definition.type);
  const JsonView view = description.view();
  std::cout << definition.name;
  if (definition.alias_of != nullptr) std::cout << " = " << definition.alias_of;
  std::cout << "  " << *view["kind"].as_string() << bounds_text(view)
            << (definition.unstable ? "  unstable" : "") << "\n";
  print_fields(view["fields"], "  ");
  if (!view["union"].absent()) print_union(view["union"]);
  for (JsonView value : view["values"].elements())
    std::cout << "  " << (value.is_string() ? *value.as_string() : std::string(value.text()))
              << "\n";
  if (!view["open"].absent()) std::cout << "  anything else is kept as it came\n";
  if (!view["nullIsEmpty"].absent()) std::cout << "  null is taken as {}\n";
}

std::vector<std::string> names_of(const Tables& tables) {
  std::vector<std::string> names;
  for (const Method& method : tables.methods) names.emplace_back(method.name);
  for (const Definition& definition : tables.definitions) names.emplace_back(definition.name);
  return names;
}

int show(int protocol, const std::string& name, bool as_json) {
  const Tables tables(protocol);
  bool found = false;
  for (const Method& method : tables.methods) {
    if (method.name != name) continue;
    found = true;
    if (as_json) {
      std::cout << method_json(method).text() << "\n";
      continue;
    }
    std::cout << method.name << "  " << (method.notification ? "notification" : "request")
              << ", handled by " << to_string(method.side) << (method.unstable ? ", unstable" : "")
              << "\n"
              << "  needs   " << (method.gate.empty() ? "nothing: every peer has it" : method.gate)
              << "\n\n";
    print_type(*find_definition(tables.definitions, method.params_name));
    if (method.notification) continue;
    std::cout << "\n";
    print_type(*find_definition(tables.definitions, method.result_name));
  }
  if (found) return 0;
  const Definition* definition = find_definition(tables.definitions, name);
  if (definition == nullptr)
    return complain("version " + std::to_string(protocol) + " has no type or method '" + name +
                        "'" + did_you_mean(name, names_of(tables)),
                    "Try 'acp schema list', or --protocol " + std::to_string(3 - protocol) + ".");
  if (as_json) {
    Json out = json::describe(*definition->type);
    out.set("name", definition->name);
    if (definition->unstable) out.set("unstable", true);
    std::cout << out.text() << "\n";
  } else {
    print_type(*definition);
  }
  return 0;
}

}  // namespace

void add_schema_command(const Command& app, Action& action) {
  const Command schema =
      app.add_subcommand("schema", "Look up the protocol's types, and check messages against them");
  schema->require_subcommand(1);
  const auto protocol_option = [](const Command& command, int& protocol) {
    command->add_option("--protocol", protocol, "Protocol version: 1 (stable) or 2 (draft)")
        ->one_of({"1", "2"})
        ->capture_default_str();
  };

  struct Shared {
    int protocol = 1;
    bool json = false;
    bool stable = false;
    std::string name;
    SchemaCheckOptions check;
  };
  auto shared = std::make_shared<Shared>();

  const Command list_command = schema->add_subcommand("list", "List all methods and types");
  protocol_option(list_command, shared->protocol);
  list_command->add_flag("--stable", shared->stable, "Leave out what is unstable");
  list_command->add_flag("--json", shared->json, "One JSON object a line");
  list_command->callback([&action, shared] {
    action = [shared] { return list(shared->protocol, shared->stable, shared->json); };
  });

  const Command show_command =
      schema->add_subcommand("show", "Show a type, or a method with its params and result");
  show_command->footer(
      "A member with ! is required, one with ? is not; = is its default, ~ says what a reader "
      "does\n"
      "with a bad value.");
  protocol_option(show_command, shared->protocol);
  show_command
      ->add_option("TYPE", shared->name, "A type (ContentBlock) or a method (session/prompt)")
      ->required();
  show_command->add_flag("--json", shared->json, "As JSON");
  show_command->callback([&action, shared] {
    action = [shared] { return show(shared->protocol, shared->name, shared->json); };
  });

  const Command check_command = schema->add_subcommand(
      "check",
      "Check JSON against a type, or whole JSON-RPC messages by their method.\n"
      "Reads one value a line, a file that is one value, or a recording of 'acp tap', of which\n"
      "it takes the messages. Prints a JSON object for each: {\"ok\":true,\"line\":1}, or\n"
      "{\"ok\":false,\"line\":1,\"path\":…,\"expected\":…,\"got\":…}; with several files also "
      "\"file\".\n"
      "Exit code: 0 if all are right, 1 if any is not, 2 for a usage error.");
  protocol_option(check_command, shared->check.protocol);
  check_command->add_flag(
      "--strict", shared->check.strict,
      "Refuse what is otherwise only told on stderr: unknown members and tags, and bad values "
      "that the schema says to overlook");
  check_command->add_flag("--roundtrip", shared->check.roundtrip,
                          "Add `value`: the value as acp would write it");
  check_command->add_option(
      "TYPE FILE", shared->check.words,
      "A type, if the values are not whole messages; then the files to read (- or none: "
      "standard input)");
  check_command->callback(
      [&action, shared] { action = [shared] { return check_schema(shared->check); }; });
}

}  // namespace acp::cli
