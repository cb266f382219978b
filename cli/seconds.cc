#include "cli/seconds.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace acp::cli {
namespace {

constexpr double longest = 1e9;  // some 30 years: in milliseconds it still is a number

std::string mistake_in(const std::string& word, Zero zero) {
  double seconds = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, seconds);
  const bool enough = zero == Zero::allowed ? seconds >= 0 : seconds > 0;
  if (error == std::errc() && at == end && enough && seconds <= longest) return {};
  return "expected a number of seconds" + std::string(zero == Zero::allowed ? "" : " above 0") +
         ", got '" + word + "'";
}

}  // namespace

Option add_seconds(const Command& app, const std::string& name, double& into,
                   const std::string& what, Zero zero) {
  return app.add_option(name, into, what)
      ->type_name("SECONDS")
      ->check([zero](const std::string& word) { return mistake_in(word, zero); }, "");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace acp::cli
