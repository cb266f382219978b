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

  // What its value is called: FILE.
  Option type_name(const std::string& name) const;
  // Shown instead of the type's name and of all that is known of the value.
  Option option_text(const std::string& text) const;
  // An empty one hides it.
  Option group(const std::string& name) const;
  Option required() const;
  Option excludes(const Option& other) const;
  Option one_of(std::vector<std::string> values) const;
  Option range(int least, int most) const;
  // `valid` gives what is wrong with a value, or nothing; `what` is what the value should be.
  Option check(std::function<std::string(const std::string&)> valid, const std::string& what) const;
  // The help shows the value that it has now.
  Option capture_default_str() const;
  // May be given again, and takes one value each time.
  Option repeated() const;
  // Takes one value, also where it may be given again; what follows is no second one.
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
  // One, unless it is said otherwise.
  void require_subcommand(std::size_t least = 1, std::size_t most = 1) const;
  // The subcommand that was typed: empty if there is none.
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
  // An empty one hides it.
  void group(const std::string& name) const;
  void footer(const std::string& text) const;
  // What the usage shows after the options, instead of the positionals.
  void usage(const std::string& arguments) const;
  void set_help_flag(const std::string& names, const std::string& help) const;
  void callback(std::function<void()> action) const;
  // The command line again, but for --agent: for messages that say how to repeat it.
  std::string typed_words() const;

 private:
  CLI::App* app_;
};

}  // namespace acp::cli
