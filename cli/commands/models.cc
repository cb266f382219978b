// acp models: which models can be used, and from where.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/commands/model_order.h"
#include "cli/table.h"
#include "coder/coder.h"

namespace acp::cli {
namespace {

using coder::ModelInfo;
using coder::ModelReport;

struct Options {
  std::string directory = ".", model;
  bool json = false;
};

std::vector<std::string> takes(const ModelInfo& info) {
  std::vector<std::string> kinds = {"text"};
  if (info.takes_images) kinds.push_back("images");
  if (info.takes_audio) kinds.push_back("audio");
  if (info.takes_documents) kinds.push_back("documents");
  return kinds;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// 128000 is "128k".
std::string context_of(const ModelInfo& info) {
  if (!info.context_tokens) return "";
  return *info.context_tokens < 1000 ? std::to_string(*info.context_tokens)
                                     : std::to_string(*info.context_tokens / 1000) + "k";
}

std::string from(const ModelReport::Provider& provider) {
  return provider.key.empty() ? provider.base_url : "key: " + provider.key;
}

void print_json(const ModelReport& report) {
  const auto line = [&](const ModelInfo& info, const std::string& provider, const std::string& url,
                        const std::string& key, const std::string& trouble) {
    Json kinds = Json::array();
    for (const std::string& kind : takes(info)) kinds.append(kind);
    Json object = Json::object({{"model", info.id},
                                {"provider", provider},
                                {"usable", trouble.empty()},
                                {"chosen", info.id == report.chosen},
                                {"takes", kinds}});
    const auto set = [&](const char* name, const std::string& value) {
      if (!value.empty()) object.set(name, value);
    };
    if (info.context_tokens) object.set("contextTokens", *info.context_tokens);
    set("baseUrl", url);
    set("key", key);
    set("trouble", trouble);
    if (info.id == report.chosen) set("why", report.why);
    if (info.id == report.chosen && report.stands_in) object.set("standsIn", true);
    std::cout << io::printable_json(object.text()) << "\n";
  };
  for (const ModelReport::Provider& provider : report.providers)
    for (const ModelInfo& info : provider.models)
      line(info, provider.name, provider.base_url, provider.key, provider.trouble);
  for (const ModelInfo& info : report.own) line(info, "", "", "", "");
}

// Those that are looked for on this machine, and do not answer.
std::string silent_servers(const ModelReport& report) {
  std::vector<std::string> silent;
  for (const settings::UsualServer& server : settings::usual_servers()) {
    const bool listed = std::ranges::any_of(
        report.providers, [&](const auto& provider) { return provider.name == server.name; });
    if (!listed)
      silent.push_back(std::string(server.name) + " (port " + std::to_string(server.port) + ")");
  }
  return joined(silent);
}

void print_text(const ModelReport& report) {
  Table usable({" ", "MODEL", "CONTEXT", "TAKES", "FROM"});
  const auto add = [&](const ModelInfo& info, const std::string& where) {
    usable.add({info.id == report.chosen ? "*" : " ", info.id, context_of(info),
                joined(takes(info)), where});
  };
  bool listed = false;
  Table others({"PROVIDER", "NOT USABLE NOW"});
  for (const ModelReport::Provider& provider : report.providers) {
    if (!provider.trouble.empty()) {
      others.add({provider.name, provider.trouble});
      continue;
    }
    for (const ModelInfo& info : provider.models) {
      add(info, from(provider));
      listed = listed || info.id == report.chosen;
    }
  }
  for (const ModelInfo& info : report.own) {
    add(info, "built in: understands a few words, to try acp out");
    listed = listed || info.id == report.chosen;
  }
  usable.print();
  if (!others.empty()) std::cout << "\n";
  others.print();
  const std::string chosen = listed ? "*" : report.chosen;
  const auto line = [](const std::string& text) {
    std::cout << io::one_line(text, io::whole) << "\n";
  };
  std::cout << "\n";
  if (report.missing)
    line("The model that is set does not exist: " + report.trouble + ".");
  else if (report.stands_in)
    line("No model can be used: " + report.why + ".");
  else
    line(chosen + " is used: " + report.why + ".");
  if (!report.missing && report.stands_in) line(std::string("* ") + stand_in + ".");
  if (!report.missing && !report.trouble.empty())
    line("It cannot be used yet: " + report.trouble + ".");
  line(
      "'acp config set model PROVIDER/NAME' chooses one; a provider takes names that are not "
      "listed, too.");
  if (const std::string silent = silent_servers(report); !silent.empty())
    line("Not running on this machine: " + silent +
         ". Start one, and its models are listed here; or name one: --model ollama/NAME.");
}

int run(const Options& options) {
  const std::string cwd = existing_directory(options.directory);
  coder::CoderOptions what;
  what.model = options.model;
  what.any_model = options.model.empty();  // one that was typed must exist
  coder::Coder coder(what);
  const ModelReport report = coder.report_models(cwd, true);
  for (const std::string& note : report.notes)
    std::cerr << "acp models: " << io::one_line(note, io::whole) << "\n";
  if (!options.json) {
    print_text(report);
    return 0;
  }
  print_json(report);
  if (report.missing)
    std::cerr << "acp models: the model that is set does not exist: "
              << io::one_line(report.trouble, io::whole) << "\n";
  return 0;
}

}  // namespace

void add_models_command(const Command& app, Action& action) {
  const auto options = std::make_shared<Options>();
  const Command models =
      app.add_subcommand("models", "Which models can be used, from where, and which one is");
  models
      .add_option("--cwd", options->directory,
                  "The project whose .acp/config.toml counts (default: the current directory)")
      ->type_name("DIR");
  models.add_option("--model", options->model, "As if this were chosen")->type_name("MODEL");
  models.add_flag("--json", options->json, "One JSON object a line for each model");
  models.footer(std::string("The model is the first of: ") + model_order +
                ".\nServers of your own are asked what they serve. See docs/models.md.");
  models.callback([options, &action] {
    action = [options] { return told("acp models", [&] { return run(*options); }); };
  });
}

}  // namespace acp::cli
