#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "acp/io/process/process.h"
#include "cli/help_format.h"

namespace acp::cli {

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}
Option Option::option_text(const std::string& text) const {
  option_->option_text(text);
  return *this;
}
Option Option::group(const std::string& name) const {
  option_->group(name);
  return *this;
}
Option Option::required() const {
  option_->required();
  return *this;
}
Option Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}
Option Option::one_of(std::vector<std::string> values) const {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}
Option Option::range(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option Option::check(std::function<std::string(const std::string&)> valid,
                     const std::string& what) const {
  option_->check(std::move(valid), what);
  return *this;
}
Option Option::rewrite(std::function<std::string(std::string)> rewritten) const {
  option_->transform(std::move(rewritten), "");
  return *this;
}
Option Option::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}
Option Option::repeated() const {
  option_->expected(1)->allow_extra_args(false)->take_all();
  return *this;
}
Option Option::allow_extra_args(bool allow) const {
  option_->allow_extra_args(allow);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description));
}
void Command::require_subcommand(std::size_t least, std::size_t most) const {
  app_->require_subcommand(least, most);
}
bool Command::has_subcommand() const { return !app_->get_subcommands().empty(); }

Option Command::add_option(const std::string& name, std::string& into,
                           const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_option(const std::string& name, std::vector<std::string>& into,
                           const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_option(const std::string& name, int& into, const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_option(const std::string& name, unsigned& into, const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_option(const std::string& name, std::uint64_t& into,
                           const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_option(const std::string& name, double& into, const std::string& help) const {
  return Option(app_->add_option(name, into, help));
}
Option Command::add_flag(const std::string& name, bool& into, const std::string& help) const {
  return Option(app_->add_flag(name, into, help));
}

std::string Command::get_name() const { return app_->get_name(); }
void Command::group(const std::string& name) const { app_->group(name); }
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::usage(const std::string& arguments) const {
  app_->formatter(std::make_shared<HelpFormatter>(arguments));
}
void Command::set_help_flag(const std::string& names, const std::string& help) const {
  app_->set_help_flag(names, help);
}
void Command::callback(std::function<void()> action) const { app_->callback(std::move(action)); }

std::string Command::typed_words() const {
  std::vector<std::string> words = {"acp", app_->get_name()};
  std::map<const CLI::Option*, std::size_t> seen;  // one that is given twice stands there twice
  for (const CLI::Option* option : app_->parse_order()) {
    const std::size_t which = seen[option]++;
    if (option->check_lname("agent")) continue;
    if (!option->get_positional()) words.push_back("--" + option->get_lnames().front());
    if (option->get_items_expected_max() > 0 && which < option->results().size())
      words.push_back(option->results()[which]);
  }
  return io::command_line(words);
}

}  // namespace acp::cli
