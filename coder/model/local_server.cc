#include "coder/model/local_server.h"

#include <algorithm>
#include <map>

#include "acp/error.h"
#include "acp/http/transfers.h"
#include "acp/json/json.h"
#include "settings/settings.h"

namespace acp::coder {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_body = 4 * 1024 * 1024;

struct Reply {
  int status = 0;  // 0: none
  Json body = {};  // absent if it is no JSON
  std::string failure = {};
  bool refused = false;  // nothing listens there
};

struct Asked {
  std::string url;
  std::optional<std::string> key = {};
};

// All at once. Those that have not answered in time have no status.
std::vector<Reply> ask(const std::vector<Asked>& questions, std::stop_token stop,
                       std::chrono::milliseconds time_limit) {
  struct Pending {
    Reply reply;
    std::string text;
    bool ended = false;
  };
  std::vector<Pending> pending(questions.size());
  http::Transfers client(time_limit);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    Pending& one = pending[i];
    http::Transfers::Request request{.method = "GET", .url = questions[i].url};
    if (questions[i].key)
      request.headers.push_back(
          {"Authorization", "Bearer " + *questions[i].key, http::origin_of(questions[i].url)});
    client.start(
        std::move(request),
        {.on_head = [&one](const http::Transfers::Head& head) { one.reply.status = head.status; },
         .on_body =
             [&one](std::string_view bytes) {
               if (one.text.size() < max_body) one.text += bytes;
             },
         .on_end =
             [&one](const http::Transfers::Failure* failure) {
               one.ended = true;
               if (failure == nullptr) return;
               one.reply.status = 0;
               one.reply.failure = failure->message;
               one.reply.refused = failure->refused;
             }});
  }
  const std::stop_callback wakes(stop, [&client] { client.wake(); });
  const Clock::time_point end = Clock::now() + time_limit;
  http::Transfers::Wanted nothing_else;
  const auto waits = [](const Pending& one) { return !one.ended; };
  while (std::any_of(pending.begin(), pending.end(), waits)) {
    if (stop.stop_requested()) throw Cancelled();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) break;
    client.run(nothing_else, left);
  }
  std::vector<Reply> replies;
  for (Pending& one : pending) {
    if (!one.ended)
      one.reply = {.failure = "no answer in " + std::to_string(time_limit.count()) + " ms"};
    if (auto parsed = Json::parse(one.text); one.reply.status != 0 && parsed)
      one.reply.body = std::move(*parsed);
    replies.push_back(std::move(one.reply));
  }
  return replies;
}

std::optional<std::uint64_t> positive(JsonView value) {
  const auto number = value.as_uint64();
  return number && *number > 0 ? number : std::nullopt;
}

// Nothing if it is no list of models.
std::optional<std::vector<ServedModel>> models_in(const Reply& reply) {
  const JsonView data = reply.body.view()["data"];
  if (reply.status != 200 || !data.is_array()) return {};
  std::vector<ServedModel> models;
  for (const JsonView one : data.elements()) {
    const auto id = one["id"].as_string();
    if (!id || id->empty()) continue;
    // vLLM; OpenRouter and others; llama-server: what it serves with, then what the model can.
    std::optional<std::uint64_t> context;
    for (const JsonView told : {one["max_model_len"], one["context_length"], one["meta"]["n_ctx"],
                                one["meta"]["n_ctx_train"]})
      if (!context) context = positive(told);
    models.push_back({*id, context});
  }
  return models;
}

void learn_from_props(JsonView props, ServerFacts& facts) {
  const JsonView settings = props["default_generation_settings"];
  const JsonView chat_template = props["chat_template"];
  facts.llama_server = settings.is_object() || chat_template.is_string();
  if (!facts.llama_server) return;
  facts.context_tokens = positive(settings["n_ctx"]);
  facts.images = props["modalities"]["vision"].as_bool();
  facts.audio = props["modalities"]["audio"].as_bool();
  facts.tools = props["chat_template_caps"]["supports_tools"].as_bool();
  // Older ones show the template only.
  if (const auto text = chat_template.as_string(); text && !text->empty() && !facts.tools)
    facts.tools = text->find("tools") != std::string::npos;
}

}  // namespace

std::optional<std::uint64_t> ServerFacts::context_of(const std::string& model) const {
  if (context_tokens) return context_tokens;
  for (const ServedModel& one : models)
    if (one.id == model) return one.context_tokens;
  return {};
}

ServerFacts probe(const std::string& base_url, const std::optional<std::string>& key,
                  std::stop_token stop, std::chrono::milliseconds time_limit) {
  std::string base = base_url;
  while (base.ends_with('/')) base.pop_back();
  const std::string root = base.ends_with("/v1") ? base.substr(0, base.size() - 3) : base;
  const std::vector<Reply> replies = ask(
      {{root + "/health", key}, {root + "/props", key}, {base + "/models", key}}, stop, time_limit);
  const Reply &health = replies[0], &props = replies[1], &models = replies[2];
  ServerFacts facts;
  if (props.status == 200) learn_from_props(props.body, facts);
  const auto list = models_in(models);
  if (list) facts.models = *list;
  const std::string shown = http::shown_url(base);
  if (health.status == 503) {
    facts.loading = true;
    facts.problem = shown + ": the model is loading";
  } else if (models.refused) {
    facts.problem = "nothing answers at " + shown + " (connection refused)";
  } else if (models.status == 0) {
    facts.problem = shown + ": " + models.failure;
  } else if (models.status == 401 || models.status == 403) {
    facts.problem =
        shown + ": the server wants another key (HTTP " + std::to_string(models.status) + ")";
  } else if (!list) {
    facts.problem = shown + "/models: no list of models (HTTP " + std::to_string(models.status) +
                    "); is the base URL right?";
  } else {
    facts.ready = true;
  }
  return facts;
}

std::vector<UsualPort> usual_ports() {
  std::vector<UsualPort> ports;
  for (const settings::UsualServer& server : settings::usual_servers())
    ports.push_back({server.name, server.port});
  return ports;
}

std::vector<LocalServer> find_local_servers(std::stop_token stop,
                                            const std::vector<UsualPort>& ports,
                                            std::chrono::milliseconds time_limit) {
  std::vector<Asked> questions;
  for (const UsualPort& usual : ports)
    questions.push_back({"http://127.0.0.1:" + std::to_string(usual.port) + "/v1/models"});
  const std::vector<Reply> replies = ask(questions, stop, time_limit);
  std::vector<LocalServer> found;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    auto models = models_in(replies[i]);
    if (!models) continue;
    // LM Studio lists those too, and they cannot talk.
    std::erase_if(*models,
                  [](const ServedModel& model) { return model.id.starts_with("text-embedding"); });
    if (models->empty()) continue;
    found.push_back({ports[i].name, "http://127.0.0.1:" + std::to_string(ports[i].port) + "/v1",
                     std::move(*models), ports[i].port, listener_owner(ports[i].port)});
  }
  return found;
}

}  // namespace acp::coder
