#include "cli/seconds.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace acp::cli {
namespace {

constexpr double longest = 1e9;  // some 30 years: in milliseconds it still is a number

// "10s" and "500ms", as 'acp tap --fault' takes them.
std::string in_seconds(std::string word) {
  const bool thousandths = word.ends_with("ms");
  if (!thousandths && !word.ends_with('s')) return word;
  const std::string digits = word.substr(0, word.size() - (thousandths ? 2 : 1));
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || at != end) return word;
  if (!thousandths) return digits;
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, value / 1000);
  return {text, written.ptr};
}

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
      ->rewrite(in_seconds)
      ->check([zero](const std::string& word) { return mistake_in(word, zero); }, "");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace acp::cli
