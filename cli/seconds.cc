#include "cli/seconds.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace acp::cli {
namespace {

constexpr double longest = 1e9;  // some 30 years: in milliseconds it still is a number

std::string mistake_in(const std::string& word) {
  double seconds = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, seconds);
  if (error == std::errc() && at == end && seconds > 0 && seconds <= longest) return {};
  return "expected a number of seconds above 0, got '" + word + "'";
}

}  // namespace

Option add_seconds(const Command& app, const std::string& name, double& into,
                   const std::string& what) {
  return app.add_option(name, into, what)->type_name("SECONDS")->check(mistake_in, "");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace acp::cli
