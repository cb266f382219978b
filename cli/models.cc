// acp models: which models can be used, and from where.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/model_order.h"
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

std::string takes(const ModelInfo& info) {
  std::string text = "text";
  if (info.takes_images) text += ", images";
  if (info.takes_audio) text += ", audio";
  if (info.takes_documents) text += ", documents";
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
    Json object = Json::object({{"model", info.id},
                                {"provider", provider},
                                {"usable", trouble.empty()},
                                {"chosen", info.id == report.chosen},
                                {"takes", takes(info)}});
    const auto set = [&](const char* name, const std::string& value) {
      if (!value.empty()) object.set(name, value);
    };
    if (info.context_tokens) object.set("contextTokens", *info.context_tokens);
    set("baseUrl", url);
    set("key", key);
    set("trouble", trouble);
    if (info.id == report.chosen) set("why", report.why);
    std::cout << io::printable_json(object.text()) << "\n";
  };
  for (const ModelReport::Provider& provider : report.providers)
    for (const ModelInfo& info : provider.models)
      line(info, provider.name, provider.base_url, provider.key, provider.trouble);
  for (const ModelInfo& info : report.own) line(info, "", "", "", "");
}

void print_text(const ModelReport& report) {
  Table usable({" ", "MODEL", "CONTEXT", "TAKES", "FROM"});
  const auto add = [&](const ModelInfo& info, const std::string& where) {
    usable.add(
        {info.id == report.chosen ? "*" : " ", info.id, context_of(info), takes(info), where});
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
  std::cout << "\n"
            << (listed ? "* is used: " : io::one_line(report.chosen, io::whole) + " is used: ")
            << io::one_line(report.why, io::whole) << ".\n";
  if (!report.trouble.empty())
    std::cout << "It cannot be used yet: " << io::one_line(report.trouble, io::whole) << ".\n";
  std::cout << "'acp config set model PROVIDER/NAME' chooses one; a provider takes names that are "
               "not listed, too.\n";
}

int run(const Options& options) {
  const std::string cwd = std::filesystem::absolute(options.directory).lexically_normal().string();
  if (!std::filesystem::is_directory(cwd)) throw BadUsage("--cwd: there is no directory " + cwd);
  coder::CoderOptions what;
  what.model = options.model;
  coder::Coder coder(what);
  const ModelReport report = coder.report_models(cwd, true);
  for (const std::string& note : report.notes)
    std::cerr << "acp models: " << io::one_line(note, io::whole) << "\n";
  if (options.json)
    print_json(report);
  else
    print_text(report);
  return 0;
}

}  // namespace

void add_models_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App& models =
      *app.add_subcommand("models", "Which models can be used, from where, and which one is");
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
