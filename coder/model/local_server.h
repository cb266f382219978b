// Servers that people run themselves: llama-server, Ollama, LM Studio, vLLM. What they report of
// their models, and which of them are running.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "coder/model/listener_owner.h"

namespace acp::coder {

struct ServedModel {
  std::string id;
  std::optional<std::uint64_t> context_tokens = {};
};

struct ServerFacts {
  bool ready = false;        // it answers, and has its model
  bool loading = false;      // it answers, and will have it
  std::string problem = {};  // for people: why it is not ready
  bool llama_server = false;
  std::vector<ServedModel> models = {};
  // The server's context size, which can be less than the model's.
  std::optional<std::uint64_t> context_tokens = {};
  std::optional<bool> images = {}, audio = {};
  // Whether the model's chat template has tools. Without them a model cannot work on files.
  std::optional<bool> tools = {};

  // The context size of this model, or of all.
  std::optional<std::uint64_t> context_of(const std::string& model) const;
};

// Asks a server for its facts, with all requests at once. Throws Cancelled once the token is set,
// nothing else.
ServerFacts probe(const std::string& base_url, const std::optional<std::string>& key,
                  std::stop_token stop,
                  std::chrono::milliseconds time_limit = std::chrono::milliseconds(2000));

struct LocalServer {
  std::string name;      // "llama-server", "ollama", "lmstudio", "vllm": by its port
  std::string base_url;  // with /v1
  std::vector<ServedModel> models;
  std::uint16_t port = 0;
  ListenerOwner owner = {};
};
// Where such servers usually listen. Throws Cancelled once the token is set, nothing else.
struct UsualPort {
  std::string name;
  std::uint16_t port;
};
std::vector<UsualPort> usual_ports();
std::vector<LocalServer> find_local_servers(
    std::stop_token stop, const std::vector<UsualPort>& ports = usual_ports(),
    std::chrono::milliseconds time_limit = std::chrono::milliseconds(300));

}  // namespace acp::coder
