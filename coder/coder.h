// The coding agent: the implementation of `acp agent`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/agent.h"
#include "coder/folder_watch.h"
#include "coder/model/models.h"
#include "coder/session/session.h"
#include "coder/store/store.h"
#include "settings/keys.h"
#include "settings/settings.h"
#include "settings/trusted_servers.h"

namespace acp::coder {

struct KeySource;

struct CoderOptions {
  std::string model = {}, mode = {}, protocol = {};  // the command line's
  bool any_model = false;                    // one that does not exist is reported, and no error
  std::optional<std::string> scenario = {};  // what the offline model plays
  bool require_model = false;  // a prompt fails if none is configured: offline does not stand in
  std::string settings_file = settings::user_settings_path();
  std::string keys_file = settings::Keys::default_path();
  std::string policy_file = workspace::PolicyStore::default_path();
  std::string store_file = Store::default_path();
  std::string servers_file = settings::TrustedServers::default_path();
  // Where to look for servers, and how long they have to answer.
  std::vector<UsualPort> local_ports = usual_ports();
  std::chrono::milliseconds local_time{300};
  rpc::Framing framing = rpc::Framing::newline;
  std::optional<std::size_t> max_message_bytes = {};
  LogHook on_log = nullptr;
};

// The available models, for people: the output of `acp models` and `acp config`.
struct ModelReport {
  std::string chosen;      // what a session begins with
  std::string why;         // in words
  std::string trouble;     // why it cannot be used; empty if it can
  bool missing = false;    // there is no such model, as `trouble` says
  bool stands_in = false;  // nothing can be used: offline stands in, unless a model is required
  struct Provider {
    std::string name, base_url;
    std::string key = {};      // where it comes from; empty: none, or none is needed
    std::string trouble = {};  // why its models cannot be used now
    std::vector<ModelInfo> models = {};
  };
  std::vector<Provider> providers;
  std::vector<ModelInfo> own;  // of no provider
  std::vector<std::string> notes;
};

class Coder {
 public:
  // Throws SettingsError, ScenarioError.
  explicit Coder(CoderOptions options);
  ~Coder();

  // Reports the models of a session in this directory: only the chosen one and why, unless the
  // providers are wanted. Then the user's own servers are asked, all at once. Throws SettingsError,
  // KeysError.
  ModelReport report_models(const std::string& cwd, bool with_providers);

  // Runs until the client is gone; returns the exit code.
  int run(Transport transport);

 private:
  using SessionPtr = std::shared_ptr<Session>;
  // The common part of requests that begin or open a session.
  struct Opening;

  // ---- coder_auth.cc
  void add_authentication(Agent& agent);
  // Throws -32000, with what would help, if the model's provider has no key.
  void require_key(const Models& models, const std::string& model) const;
  std::vector<v1::AuthMethod> login_methods(const settings::ProviderSettings& provider) const;
  KeySource key_source(const settings::ProviderSettings& provider) const;
  // The providers whose keys sessions use: the chosen model's; if none is chosen, all that have
  // one.
  std::vector<const settings::ProviderSettings*> key_providers(
      const settings::Settings& settings) const;
  // The provider has rejected the key that it has now.
  void note_rejected_key(const settings::ProviderSettings& provider);
  // Throws -32000 while the provider's key is one that it has rejected.
  void refuse_rejected_key(const settings::ProviderSettings& provider) const;
  void authenticate(const std::string& method);
  void logout();

  // ---- coder_model_report.cc
  std::string reason_for(const Models& models, const std::string& id) const;
  std::string trouble_with(const Models& models, const std::string& id) const;
  std::vector<ModelReport::Provider> report_providers(const Models& models) const;

  // ---- coder_sessions.cc
  void add_sessions(Agent& agent);
  template <class Request>
  Opening opening(const Request& request);
  // The settings of a project; throws Error.
  settings::Settings settings_for(const std::string& cwd) const;
  std::shared_ptr<Models> models_for(const settings::Settings& settings);
  // ---- coder_models.cc
  // Chooses a model. A server that nobody has decided about is put into `unasked`.
  std::string chosen_model(Opening& opening) const;
  v1::PromptCapabilities prompt_capabilities();
  // The first model, or `wanted`, of a server that answers at one of these ports and may be used.
  std::optional<std::string> found_model(Opening& opening, const std::vector<UsualPort>& ports,
                                         const std::string& wanted = {}) const;
  // The model of a stored session. Throws Error.
  std::string session_model(Opening& opening) const;
  // Makes a model; asks a server of the user's own for its facts, which go to `told`, if given.
  std::shared_ptr<Model> make_model(const Models& models, const std::string& id,
                                    std::vector<Note>& notes, ServerFacts* told = nullptr) const;
  std::shared_ptr<Model> first_model(Opening& opening) const;
  SessionPtr make_session(Opening& opening, std::shared_ptr<Model> model, LiveSession kept);
  // Adds the session: from now on it can be prompted.
  void enter(const SessionPtr& session);
  // Reads the mode and model of a stored session. Throws UnknownSession.
  StoredSession go_on_from(const std::string& id, Opening& opening);
  static std::string mode_to_go_on_with(const StoredSession& stored,
                                        const settings::Settings& settings,
                                        std::vector<Note>& notes);
  static void set_replayed_mode(Session& session, const std::string& before,
                                const SessionContext* replay_to);
  // Throws StoreError if some of a session that is open here is not stored yet.
  void require_stored(const std::string& id) const;
  LiveSession open_stored(const std::string& id);
  SessionPtr open_session(const StoredSession& stored, Opening& opening,
                          const SessionContext* replay_to);
  v1::NewSessionResponse new_session(const SessionContext& context,
                                     const v1::NewSessionRequest& request);
  v1::LoadSessionResponse load_session(const SessionContext& context,
                                       const v1::LoadSessionRequest& request);
  v1::ResumeSessionResponse resume_session(const SessionContext& context,
                                           const v1::ResumeSessionRequest& request);
  v1::ForkSessionResponse fork_session(const SessionContext& context,
                                       const v1::ForkSessionRequest& request);
  v1::ListSessionsResponse list_sessions(const v1::ListSessionsRequest& request);
  // Rebuilds the conversation from the stored entries; with a context, sends them as well.
  void replay(Session& session, const SessionContext* context);

  v1::PromptResponse prompt(const acp::Turn& turn);
  void set_mode(const SessionContext& context, const std::string& mode);
  std::vector<v1::SessionConfigOption> set_option(const SessionContext& context,
                                                  const v1::SetSessionConfigOptionRequest& request);

  void announce_commands(const SessionContext& context, const SessionPtr& session);
  // Reports at once that a session has no model; a client without notices gets it later.
  static void say_first_note(const acp::Turn& turn, Session& session);
  std::optional<Note> no_model_note(const SessionContext& context, Session& session) const;
  // Notifies the client of commands that come and go from now on.
  void watch_commands(const SessionContext& context, const SessionPtr& session);

  Store& store();
  SessionPtr find(const std::string& id) const;
  void forget(const std::string& id);

  CoderOptions options_;
  settings::Keys keys_;
  settings::Settings settings_;  // without a project
  mutable std::mutex mutex_;
  std::unique_ptr<Store> store_;
  std::vector<Note> store_notes_;
  std::map<std::string, SessionPtr> sessions_;
  std::map<std::string, std::string> rejected_keys_;  // by the provider
  FolderWatch watch_;                                 // ends first
};

}  // namespace acp::coder
