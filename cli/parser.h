// How commands declare their options and arguments. CLI11 does the work. Few files include it,
// because its header costs each of them eight seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace acp::cli {

// Handles: copies are the same option, the same command. Both live as long as the program.
// Functions that return one return the same again.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  const Option* operator->() const { return this; }

  // Names its value: FILE.
  Option type_name(const std::string& name) const;
  // Sets the text that is shown instead of the name and the possible values.
  Option option_text(const std::string& text) const;
  // Sets its group in the help; an empty one hides it.
  Option group(const std::string& name) const;
  Option required() const;
  Option excludes(const Option& other) const;
  Option one_of(std::vector<std::string> values) const;
  Option range(int least, int most) const;
  // Checks a value: `valid` returns what is wrong with it, or an empty text; `what` describes valid
  // values.
  Option check(std::function<std::string(const std::string&)> valid, const std::string& what) const;
  // Rewrites a value before it is checked and read.
  Option rewrite(std::function<std::string(std::string)> rewritten) const;
  // Makes the help show the current value as the default.
  Option capture_default_str() const;
  // Allows the option several times, with one value each time.
  Option repeated() const;
  // Whether it takes several values at once; if not, the word after its value is not a second one.
  Option allow_extra_args(bool allow) const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  const Command* operator->() const { return this; }
  CLI::App& native() const { return *app_; }

  Command add_subcommand(const std::string& name, const std::string& description) const;
  // Requires subcommands: one by default.
  void require_subcommand(std::size_t least = 1, std::size_t most = 1) const;
  // Whether a subcommand was typed.
  bool has_subcommand() const;

  Option add_option(const std::string& name, std::string& into, const std::string& help = "") const;
  Option add_option(const std::string& name, std::vector<std::string>& into,
                    const std::string& help = "") const;
  Option add_option(const std::string& name, int& into, const std::string& help = "") const;
  Option add_option(const std::string& name, unsigned& into, const std::string& help = "") const;
  Option add_option(const std::string& name, std::uint64_t& into,
                    const std::string& help = "") const;
  Option add_option(const std::string& name, double& into, const std::string& help = "") const;
  Option add_flag(const std::string& name, bool& into, const std::string& help = "") const;

  std::string get_name() const;
  // Sets its group in the help; an empty one hides it.
  void group(const std::string& name) const;
  void footer(const std::string& text) const;
  // Sets what the usage shows after the options, instead of the positionals.
  void usage(const std::string& arguments) const;
  void set_help_flag(const std::string& names, const std::string& help) const;
  void callback(std::function<void()> action) const;
  // The typed command line without --agent: for messages that say how to repeat it.
  std::string typed_words() const;

 private:
  CLI::App* app_;
};

}  // namespace acp::cli
