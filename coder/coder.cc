#include "coder/coder.h"

#include "acp/json/codec.h"
#include "coder/model/offline.h"
#include "coder/model/scenario.h"
#include "coder/turn/turn.h"

namespace acp::coder {

using namespace settings;

Coder::Coder(CoderOptions options) : options_(std::move(options)), keys_(options_.keys_file) {
  // Says what is wrong with it now, not when somebody prompts.
  if (options_.scenario) scenario_model(*options_.scenario);
  settings_ = settings_for({});
  const Setting<std::string>& chosen = settings_.model;
  try {
    if (!chosen.value.empty() && !options_.any_model) models_for(settings_)->info(chosen.value);
  } catch (const UnknownModel& error) {
    throw SettingsError(chosen.source + ": " + error.what());
  }
}

Coder::~Coder() = default;

Settings Coder::settings_for(const std::string& cwd) const {
  SettingsSources sources;
  sources.user_file = options_.settings_file;
  sources.project_directory = cwd;
  sources.model_override = options_.scenario ? "offline" : options_.model;
  sources.mode_override = options_.mode;
  sources.protocol_override = options_.protocol;
  sources.any_model = options_.any_model;
  return load_settings(sources);
}

int Coder::run(Transport transport) {
  Agent agent("acp", ACP_VERSION);
  agent.title("acp agent").versions(settings_.versions()).framing(options_.framing);
  if (options_.max_message_bytes) agent.max_message_bytes(*options_.max_message_bytes);
  if (options_.on_log) agent.on_log(options_.on_log);

  agent.prompt_capabilities(prompt_capabilities());
  v1::McpCapabilities mcp;
  mcp.http = mcp.sse = true;
  agent.mcp_capabilities(mcp).additional_directories().system_prompt(true);

  add_authentication(agent);
  add_sessions(agent);
  // What is reported is stored, and a prompt that cannot be taken is refused.
  agent.prompt_insertion(PromptInsertion::by_handler);
  agent.on_prompt([this](const acp::Turn& turn) { return prompt(turn); });
  const int code = agent.run(std::move(transport));
  const std::lock_guard lock(mutex_);
  sessions_.clear();
  return code;
}

v1::PromptResponse Coder::prompt(const acp::Turn& turn) {
  const SessionPtr session = find(turn.session_id());
  if (!session)
    throw not_found("session " + turn.session_id(),
                    Json::object({{"sessionId", turn.session_id()}}));
  say_first_note(turn, *session);
  if (session->key_rejected()) {
    // There may be another key by now.
    const std::string model = session->model()->info().id;
    require_key(*session->models(), model);
    std::vector<Note> notes;
    session->set_model(make_model(*session->models(), model, notes));
  }
  TurnHost host;
  host.log = options_.on_log;
  host.login_methods = [this, session](const std::string& model) {
    const ProviderSettings* const provider = session->models()->provider(model);
    return provider == nullptr ? std::vector<v1::AuthMethod>() : login_methods(*provider);
  };
  host.key_source = [this, session](const std::string& model) {
    const ProviderSettings* const provider = session->models()->provider(model);
    return provider == nullptr ? KeySource() : key_source(*provider);
  };
  host.key_rejected = [this, session](const std::string& model) {
    if (const ProviderSettings* const provider = session->models()->provider(model))
      note_rejected_key(*provider);
  };
  host.require_model = options_.require_model;
  TurnLoop loop(turn, *session, std::move(host));
  return loop.run();
}

Coder::SessionPtr Coder::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

void Coder::forget(const std::string& id) {
  watch_.forget(id);
  SessionPtr gone;
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  gone = std::move(found->second);
  sessions_.erase(found);
}

Store& Coder::store() {
  const std::lock_guard lock(mutex_);
  if (!store_) {
    store_ = std::make_unique<Store>(options_.store_file, [this](const std::string& text) {
      store_notes_.push_back({v1::NoticeSeverity::warning, text});
    });
    if (options_.store_file.empty())
      store_notes_.push_back({v1::NoticeSeverity::warning, "Sessions are not kept",
                              "There is no home directory (HOME, XDG_DATA_HOME) to keep them in."});
  }
  return *store_;
}

std::shared_ptr<Models> Coder::models_for(const Settings& settings) {
  auto models = std::make_shared<Models>(settings, keys_);
  if (options_.scenario) {
    const std::string text = *options_.scenario;
    models->add(scenario_model(text)->info(),
                [text] { return std::shared_ptr<Model>(scenario_model(text)); });
  } else {
    models->add(offline_model()->info(), [] { return std::shared_ptr<Model>(offline_model()); });
  }
  return models;
}

void Coder::set_mode(const SessionContext& context, const std::string& mode) {
  const SessionPtr session = find(context.session_id());
  if (!session) return;
  session->set_mode(mode);
  context.set_config_options(session->config_options()).wait();
}

std::vector<v1::SessionConfigOption> Coder::set_option(
    const SessionContext& context, const v1::SetSessionConfigOptionRequest& request) {
  const SessionPtr session = find(context.session_id());
  const auto* value = std::get_if<v1::SetSessionConfigValueId>(&request.value);
  if (!session || value == nullptr) return {};
  if (request.configId == "mode") {
    session->set_mode(value->value);
    context.set_mode(value->value).wait();
  } else if (request.configId == "model") {
    const std::shared_ptr<const Models> models = session->models();
    std::vector<Note> notes;
    session->set_model(make_model(*models, value->value, notes));
    for (Note& note : notes) session->note(std::move(note));
  }
  return session->config_options();
}

}  // namespace acp::coder
