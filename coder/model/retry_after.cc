#include "coder/model/retry_after.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

namespace acp::coder {

namespace {

std::optional<double> number(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value) || !in.eof() || !std::isfinite(value) || value < 0) return {};
  return value;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<std::chrono::system_clock::time_point> date(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  std::tm parts{};
  in >> std::get_time(&parts, "%a, %d %b %Y %H:%M:%S GMT");
  if (in.fail()) return {};
  using namespace std::chrono;
  const year_month_day day{year(parts.tm_year + 1900),
                           month(static_cast<unsigned>(parts.tm_mon + 1)),
                           std::chrono::day(static_cast<unsigned>(parts.tm_mday))};
  if (!day.ok()) return {};
  return sys_days(day) + hours(parts.tm_hour) + minutes(parts.tm_min) + seconds(parts.tm_sec);
}

}  // namespace

std::optional<double> retry_after(const http::Transfers::Head& head,
                                  std::chrono::system_clock::time_point now) {
  if (const auto milliseconds = number(head.header("retry-after-ms"))) return *milliseconds / 1000;
  const std::string told = head.header("retry-after");
  if (const auto seconds = number(told)) return seconds;
  if (const auto when = date(told))
    return std::max(0.0, std::chrono::duration<double>(*when - now).count());
  return {};
}

}  // namespace acp::coder
