#include "acp/http/status.h"

#include "acp/json/json.h"

namespace acp::http {

namespace {

constexpr std::size_t shown_body_bytes = 300;

std::string_view reason_phrase(int status) {
  switch (status) {
    case 400:
      return " Bad Request";
    case 401:
      return " Unauthorized";
    case 403:
      return " Forbidden";
    case 404:
      return " Not Found";
    case 405:
      return " Method Not Allowed";
    case 406:
      return " Not Acceptable";
    case 429:
      return " Too Many Requests";
    case 500:
      return " Internal Server Error";
    case 502:
      return " Bad Gateway";
    case 503:
      return " Service Unavailable";
    case 504:
      return " Gateway Timeout";
    default:
      return "";
  }
}

}  // namespace

std::string beginning_of(std::string_view body) {
  std::string text;
  for (const char c : body.substr(0, shown_body_bytes)) {
    const bool space = static_cast<unsigned char>(c) <= ' ';
    if (!space) text += c;
    if (space && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (text.ends_with(' ')) text.pop_back();
  return body.size() > shown_body_bytes ? text + "…" : text;
}

std::string describe_status(int status, std::string_view body) {
  std::string text = "HTTP " + std::to_string(status) + std::string(reason_phrase(status));
  const auto json = Json::parse(body);
  const auto told = json ? json->view()["error"]["message"].as_string() : std::nullopt;
  const std::string said = told ? *told : beginning_of(body);
  return said.empty() ? text : text + ": " + said;
}

}  // namespace acp::http
