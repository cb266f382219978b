// Sessions: begun, opened again, copied, listed and ended.
#include <algorithm>

#include "acp/workspace/files/leftovers.h"
#include "coder/coder_opening.h"
#include "coder/session/modes.h"
#include "coder/session/random_id.h"
#include "coder/session/turn_report.h"
#include "settings/own_places.h"

namespace acp::coder {

using namespace settings;

namespace {

constexpr std::size_t page_size = 50;

Error to_error(const StoreError& error, const std::string& id) {
  const Json data = Json::object({{"sessionId", id}});
  if (dynamic_cast<const UnknownSession*>(&error) != nullptr)
    return not_found("session " + id, data);
  if (dynamic_cast<const SessionBusy*>(&error) != nullptr)
    return Error(rpc::invalid_request, error.what(), data);
  return Error(rpc::internal_error, error.what(), data);
}

std::string system_text(const Nullable<v1::SystemPrompt>& prompt) {
  std::string text;
  if (!prompt.has_value()) return text;
  for (const v1::ContentBlock& block : prompt->content)
    if (const auto* one = std::get_if<v1::TextContent>(&block)) text += one->text + "\n";
  return text;
}

template <class Response>
void describe(const Session& session, Response& response) {
  response.modes = session.mode_state();
  response.configOptions = session.config_options();
}

void send_commands(const SessionContext& context, const CommandFiles& files) {
  try {
    context.set_commands(files.all()).wait();
  } catch (const Error&) {  // the client is gone: nobody wants to know
  }
}

void send_note(const SessionContext& context, const Note& note) {
  try {
    context.notice(note.severity, note.title, note.description).wait();
  } catch (const Error&) {  // the client is gone
  }
}

}  // namespace

template <class Request>
Coder::Opening Coder::opening(const Request& request) {
  Opening result;
  result.cwd = request.cwd;
  result.additional_directories = request.additionalDirectories;
  result.servers = request.mcpServers;
  result.system_prompt = system_text(request.systemPrompt);
  result.override_system_prompt = request.systemPrompt.has_value() &&
                                  request.systemPrompt->mode == v1::SystemPromptMode::override;
  const auto check = [](const std::string& directory, const std::string& field) {
    bool there = false;
    try {
      const workspace::Files files{workspace::Boundary({directory})};
      there = files.kind(directory) == workspace::EntryKind::directory;
    } catch (const workspace::FileError& error) {
      using Kind = workspace::FileError::Kind;
      // No descriptors, no memory, no permission: nothing is wrong with what was asked for.
      if (error.kind() == Kind::failed || error.kind() == Kind::denied)
        throw Error(rpc::internal_error,
                    "cannot open the directory of the session: " + std::string(error.what()));
    }
    if (!there) throw invalid_params(field, "a directory", "\"" + directory + "\"");
  };
  check(result.cwd, "params.cwd");
  for (std::size_t i = 0; i < result.additional_directories.size(); ++i)
    check(result.additional_directories[i],
          "params.additionalDirectories[" + std::to_string(i) + "]");
  // What a killed agent was writing here.
  workspace::remove_leftovers(result.cwd);
  for (const std::string& directory : result.additional_directories)
    workspace::remove_leftovers(directory);
  try {
    result.settings = settings_for(result.cwd);
  } catch (const SettingsError& error) {
    throw Error(rpc::internal_error, error.what());
  }
  for (const std::string& note : result.settings.notes)
    result.notes.push_back({v1::NoticeSeverity::warning, note});
  result.models = models_for(result.settings);
  result.mode = result.settings.mode.value;
  return result;
}

// ---- opening

Coder::SessionPtr Coder::make_session(Opening& opening, std::shared_ptr<Model> model,
                                      LiveSession kept) {
  Session::Wanted wanted;
  wanted.cwd = opening.cwd;
  wanted.additional_directories = opening.additional_directories;
  wanted.settings = opening.settings;
  wanted.policy_file = options_.policy_file;
  wanted.forbidden = own_places(
      {options_.settings_file, options_.keys_file, options_.policy_file, options_.store_file});
  wanted.servers_file = options_.servers_file;
  wanted.mode = opening.mode;
  wanted.system_prompt = opening.system_prompt;
  wanted.override_system_prompt = opening.override_system_prompt;
  auto session =
      std::make_shared<Session>(std::move(wanted), model, opening.models, std::move(kept));
  if (opening.no_model)
    session->set_no_model();
  else
    session->set_model(std::move(model));
  session->unasked_server = opening.unasked;
  std::vector<std::string> directories = {opening.cwd};
  directories.insert(directories.end(), opening.additional_directories.begin(),
                     opening.additional_directories.end());
  std::vector<std::string> withheld;
  if (!opening.servers.empty()) withheld = session->secrets()->variables();
  session->servers = std::make_unique<McpTools>(opening.servers, directories, std::move(withheld));
  for (Note& note : opening.notes) session->note(std::move(note));
  return session;
}

void Coder::enter(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  for (Note& note : std::exchange(store_notes_, {})) session->note(std::move(note));
  sessions_[session->id()] = session;
}

v1::NewSessionResponse Coder::new_session(const SessionContext& context,
                                          const v1::NewSessionRequest& request) {
  Opening opening = this->opening(request);
  // Before anything is kept of it.
  require_key(*opening.models,
              opening.settings.model.value.empty() ? "offline" : opening.settings.model.value);
  StoredSession stored;
  stored.id = random_id("sess_");
  stored.cwd = opening.cwd;
  stored.additional_directories = opening.additional_directories;
  stored.mode = stored.configured_mode = opening.mode;
  std::shared_ptr<Model> model = first_model(opening);
  const SessionPtr session = make_session(opening, std::move(model), store().create(stored));
  enter(session);
  v1::NewSessionResponse response;
  response.sessionId = session->id();
  describe(*session, response);
  announce_commands(context, session);
  return response;
}

StoredSession Coder::go_on_from(const std::string& id, Opening& opening) {
  const auto stored = store().find(id);
  if (!stored) throw UnknownSession(id);
  opening.mode = mode_to_go_on_with(*stored, opening.settings, opening.notes);
  // What the command line says holds for all sessions.
  if (options_.model.empty() && !options_.scenario) opening.model = stored->model;
  return *stored;
}

LiveSession Coder::open_stored(const std::string& id) {
  const std::weak_ptr<Session> before = find(id);
  require_stored(id);
  forget(id);
  try {
    return store().open(id);
  } catch (const SessionBusy&) {
    // Another request still works on it here: it goes on as it was.
    if (const SessionPtr still = before.lock()) enter(still);
    throw;
  }
}

Coder::SessionPtr Coder::open_session(const StoredSession& stored, Opening& opening,
                                      const SessionContext* replay_to) {
  std::shared_ptr<Model> model = first_model(opening);
  LiveSession kept = open_stored(stored.id);
  kept.set_directories(opening.cwd, opening.additional_directories);
  const SessionPtr session = make_session(opening, std::move(model), std::move(kept));
  session->titled = !stored.title.empty();
  replay(*session, replay_to);
  set_replayed_mode(*session, stored.mode, replay_to);
  enter(session);
  return session;
}

// A turn that the client begins at once.
void Coder::say_first_note(const acp::Turn& turn, Session& session) {
  session.first_note->say([&](const Note& note) { send_note(turn, note); });
}

v1::LoadSessionResponse Coder::load_session(const SessionContext& context,
                                            const v1::LoadSessionRequest& request) {
  Opening opening = this->opening(request);
  const StoredSession stored = go_on_from(request.sessionId, opening);
  const SessionPtr session = open_session(stored, opening, &context);
  session->command_files->reload();
  send_commands(context, *session->command_files);
  if (const auto note = no_model_note(context, *session)) send_note(context, *note);
  watch_commands(context, session);
  v1::LoadSessionResponse response;
  describe(*session, response);
  return response;
}

v1::ResumeSessionResponse Coder::resume_session(const SessionContext& context,
                                                const v1::ResumeSessionRequest& request) {
  Opening opening = this->opening(request);
  const StoredSession stored = go_on_from(request.sessionId, opening);
  const SessionPtr session = open_session(stored, opening, nullptr);
  v1::ResumeSessionResponse response;
  describe(*session, response);
  announce_commands(context, session);
  return response;
}

v1::ForkSessionResponse Coder::fork_session(const SessionContext& context,
                                            const v1::ForkSessionRequest& request) {
  Opening opening = this->opening(request);
  const StoredSession stored = go_on_from(request.sessionId, opening);
  require_stored(request.sessionId);
  StoredSession copy = stored;
  copy.mode = opening.mode;
  copy.configured_mode = opening.settings.mode.value;
  copy.id = random_id("sess_");
  copy.cwd = opening.cwd;
  copy.additional_directories = opening.additional_directories;
  if (!copy.title.empty()) copy.title += " (copy)";
  std::shared_ptr<Model> model = first_model(opening);
  const SessionPtr session =
      make_session(opening, std::move(model), store().fork(request.sessionId, copy));
  session->titled = !copy.title.empty();
  try {
    replay(*session, nullptr);
    set_replayed_mode(*session, stored.mode, nullptr);
  } catch (...) {
    store().remove(copy.id);
    throw;
  }
  enter(session);
  v1::ForkSessionResponse response;
  response.sessionId = session->id();
  describe(*session, response);
  announce_commands(context, session);
  return response;
}

// ---- commands

// The library sends them with the answer, or right after it.
void Coder::announce_commands(const SessionContext& context, const SessionPtr& session) {
  session->command_files->reload();
  if (auto note = no_model_note(context, *session)) session->first_note->set(std::move(*note));
  send_commands(context, *session->command_files);
  context.after_response(
      [later = context.background(), weak_note = std::weak_ptr(session->first_note)] {
        if (const auto first_note = weak_note.lock())
          first_note->say([&](const Note& note) { send_note(later, note); });
      });
  watch_commands(context, session);
}

std::optional<Note> Coder::no_model_note(const SessionContext& context, Session& session) const {
  // A server that is asked about, and a prompt that fails, say it then.
  if (session.has_model() || session.unasked_server || options_.require_model) return std::nullopt;
  Note note{v1::NoticeSeverity::warning,
            "No model is configured: offline can list, show, search, edit and run only",
            "Get one: OPENAI_API_KEY, `acp agent --login PROVIDER`, or start ollama"};
  if (takes_notices(context.client_capabilities())) return note;
  session.note(std::move(note));  // with the first prompt, as a message
  return std::nullopt;
}

void Coder::watch_commands(const SessionContext& context, const SessionPtr& session) {
  watch_.watch(session->id(), session->wanted.cwd, {".acp", "commands"},
               [later = context.background(), weak = std::weak_ptr(session->command_files)] {
                 const auto files = weak.lock();
                 if (files && files->reload()) send_commands(later, *files);
               });
}

// ---- the rest

v1::ListSessionsResponse Coder::list_sessions(const v1::ListSessionsRequest& request) {
  std::optional<std::string> cwd;
  if (request.cwd.has_value()) cwd = *request.cwd;
  Store::Page page;
  try {
    page = store().list(cwd, request.cursor.has_value() ? *request.cursor : "", page_size);
  } catch (const StoreError& error) {
    if (!request.cursor.has_value()) throw Error(rpc::internal_error, error.what());
    throw invalid_params("params.cursor", "one that came from here", "\"" + *request.cursor + "\"");
  }
  v1::ListSessionsResponse response;
  for (const StoredSession& stored : page.sessions) {
    v1::SessionInfo info;
    info.sessionId = stored.id;
    info.cwd = stored.cwd;
    info.additionalDirectories = stored.additional_directories;
    if (!stored.title.empty()) info.title = stored.title;
    info.updatedAt = stored.updated_at;
    response.sessions.push_back(std::move(info));
  }
  if (!page.next_cursor.empty()) response.nextCursor = page.next_cursor;
  return response;
}

void Coder::add_sessions(Agent& agent) {
  // A store's failure, as the client is to be answered.
  const auto answering = [](const std::string& id, auto action) {
    try {
      return action();
    } catch (const StoreError& error) {
      throw to_error(error, id);
    } catch (const KeysError& error) {
      throw Error(rpc::internal_error, error.what());
    }
  };
  agent.on_new_session(blocking(
      [this, answering](const SessionContext& context, const v1::NewSessionRequest& request) {
        return answering("", [&] { return new_session(context, request); });
      }));
  agent.on_load_session(blocking(
      [this, answering](const SessionContext& context, const v1::LoadSessionRequest& request) {
        return answering(request.sessionId, [&] { return load_session(context, request); });
      }));
  agent.on_resume_session(blocking(
      [this, answering](const SessionContext& context, const v1::ResumeSessionRequest& request) {
        return answering(request.sessionId, [&] { return resume_session(context, request); });
      }));
  agent.on_fork_session(blocking(
      [this, answering](const SessionContext& context, const v1::ForkSessionRequest& request) {
        return answering(request.sessionId, [&] { return fork_session(context, request); });
      }));
  agent.on_list_sessions(blocking([this](const Context&, const v1::ListSessionsRequest& request) {
    return list_sessions(request);
  }));
  agent.on_close_session(blocking([this](const Context&, const v1::CloseSessionRequest& request) {
    forget(request.sessionId);
    return v1::CloseSessionResponse();
  }));
  agent.on_delete_session(
      blocking([this, answering](const Context&, const v1::DeleteSessionRequest& request) {
        forget(request.sessionId);
        answering(request.sessionId, [&] { store().remove(request.sessionId); });
        return v1::DeleteSessionResponse();
      }));
  agent.on_set_mode(blocking(
      [this, answering](const SessionContext& context, const v1::SetSessionModeRequest& request) {
        answering(request.sessionId, [&] { set_mode(context, request.modeId); });
        return v1::SetSessionModeResponse();
      }));
  agent.on_set_config_option(blocking([this, answering](
                                          const SessionContext& context,
                                          const v1::SetSessionConfigOptionRequest& request) {
    v1::SetSessionConfigOptionResponse response;
    answering(request.sessionId, [&] { response.configOptions = set_option(context, request); });
    return response;
  }));
  agent.open_option("model");  // any of a provider's, listed or not
  agent.accept_set_model();
}

}  // namespace acp::coder
