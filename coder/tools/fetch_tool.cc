// fetch: a page, as text.
#include <chrono>
#include <optional>

#include "acp/error.h"
#include "acp/http/transfers.h"
#include "acp/workspace/output_buffer.h"
#include "coder/tools/html_text.h"
#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

constexpr std::size_t most_bytes = 4 * 1024 * 1024;
constexpr std::chrono::seconds most_time{30}, connect_time{10};

bool is_text(const std::string& type) {
  return type.empty() || type.starts_with("text/") || type.ends_with("json") ||
         type.ends_with("xml") || type.ends_with("javascript") || type.ends_with("yaml");
}

struct Page {
  http::Transfers::Head head = {};
  std::string body = {};
  bool cut = false;
};

// Throws ToolFailed, Cancelled.
Page get(const std::string& url, std::stop_token stop) {
  http::Transfers client(connect_time);
  const std::stop_callback wake(stop, [&client] { client.wake(); });
  Page page;
  std::optional<std::string> failure;
  bool ended = false;
  http::Transfers::Request request;
  request.method = "GET";
  request.url = url;
  request.headers = {
      {"accept", "text/markdown, text/plain, text/html, application/json, */*;q=0.5"}};
  request.time_limit = most_time;
  request.stays = true;
  http::Transfers::Events events;
  events.on_head = [&](const http::Transfers::Head& head) { page.head = head; };
  events.on_body = [&](std::string_view bytes) {
    const std::size_t room = most_bytes - page.body.size();
    page.body += bytes.substr(0, room);
    page.cut = page.cut || bytes.size() > room;
  };
  events.on_end = [&](const http::Transfers::Failure* why) {
    if (why != nullptr) failure = why->message;
    ended = true;
  };
  client.start(std::move(request), std::move(events));
  http::Transfers::Wanted nothing;
  while (!ended && !page.cut) {
    if (stop.stop_requested()) throw Cancelled();
    client.run(nothing, std::nullopt);
  }
  if (failure) throw ToolFailed(http::shown_url(url) + ": " + *failure);
  return page;
}

ToolResult fetch(const std::string& url, const ToolLimits& limits, const ToolHost& host) {
  const Page page = get(url, host.stop_token());
  const std::string type = page.head.content_type();
  ToolResult result;
  result.raw_output = Json::object({{"status", page.head.status},
                                    {"contentType", type},
                                    {"bytes", page.body.size()},
                                    {"truncated", page.cut}});
  if (!is_text(type)) throw ToolFailed(http::shown_url(url) + " is no text, but " + type);
  std::string text = type == "text/html" ? html_text(page.body) : page.body;
  workspace::OutputBuffer valid(most_bytes);
  text = valid.append(text) + valid.finish();
  host.mask(text);
  result.text = bounded(std::move(text), limits.output_bytes);
  if (page.cut) result.text += "\n[the page is larger than 4 MiB: the rest was not fetched]";
  result.failed = page.head.status >= 400;
  if (result.failed) result.text = "HTTP " + std::to_string(page.head.status) + "\n" + result.text;
  result.content = {text_content(result.text)};
  return result;
}

PreparedCall prepare_fetch(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  const std::string url = string_argument(arguments, "url");
  const std::string origin = http::origin_of(url);
  if (origin.empty()) throw ToolFailed(url + " is no http or https address");
  PreparedCall call;
  // An answer that is remembered is for this server. Rules of earlier versions name it as the tool.
  call.origin = origin;
  call.policy_name = origin;
  call.title = "Fetch " + url;
  call.run = [url, limits, &host](const ToolProgress&) { return fetch(url, limits, host); };
  return call;
}

}  // namespace

std::unique_ptr<Tool> fetch_tool(const ToolLimits& limits) {
  return make_tool(
      tool_spec(
          "fetch",
          "Fetches a page by http or https, as text. A redirect to another host is not followed: "
          "fetch that address then.",
          R"({"url":{"type":"string"}})", R"("url")"),
      v1::ToolKind::fetch, false, [limits](JsonView arguments, ToolHost& host) {
        return prepare_fetch(arguments, host, limits);
      });
}

}  // namespace acp::coder
