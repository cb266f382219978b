// The format of the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace acp::cli {

// The text after an option's name: the name of its value, or the possible values.
std::string value_text(const CLI::Option& option);

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { label("SUBCOMMAND", "COMMAND"); }
  // `arguments` is what the usage shows after the options, instead of the positionals.
  explicit HelpFormatter(std::string arguments) : HelpFormatter() {
    arguments_ = std::move(arguments);
  }

  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  // The description begins at this column if there is room for it.
  static std::string entry(const std::string& name, const std::string& description,
                           std::size_t column);

  std::string arguments_;
};

}  // namespace acp::cli
