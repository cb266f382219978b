// A session of the coding agent: the state that outlives a turn.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "acp/context.h"
#include "acp/schema/v1.h"
#include "acp/workspace/files/files.h"
#include "coder/model/models.h"
#include "coder/session/commands.h"
#include "coder/session/conversation.h"
#include "coder/session/kept_session.h"
#include "coder/session/mcp_tools.h"
#include "coder/session/permission_gate.h"
#include "coder/store/store.h"
#include "settings/secrets.h"

namespace acp::coder {

struct Note {
  v1::NoticeSeverity severity = v1::NoticeSeverity::warning;
  std::string title;
  std::string description = {};
};

// The note before the first turn. The first thread sends it, and others wait until it is sent.
class FirstNote {
 public:
  void set(Note note) {
    const std::lock_guard lock(mutex_);
    note_ = std::move(note);
  }
  void say(const std::function<void(const Note&)>& send) {
    const std::lock_guard lock(mutex_);
    if (note_) send(*note_);
    note_.reset();
  }

 private:
  std::mutex mutex_;
  std::optional<Note> note_;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  struct Wanted {
    std::string cwd;
    std::vector<std::string> additional_directories = {};
    settings::Settings settings;
    std::string policy_file = {};
    std::vector<std::string> forbidden = {};  // paths that are out of reach, wherever the cwd is
    std::string servers_file = {};            // answers about model servers of other users
    std::string mode;
    std::string system_prompt = {};
    bool override_system_prompt = false;
  };
  Session(Wanted wanted, std::shared_ptr<Model> model, std::shared_ptr<const Models> models,
          LiveSession kept);

  const std::string& id() const { return kept.id(); }

  // ---- what does not change
  const Wanted wanted;
  const workspace::Files files;

  // ---- of the turn that is at work; turns are one after another
  KeptSession kept;
  Conversation conversation;
  PermissionGate gate;
  std::unique_ptr<McpTools> servers;
  // Shared, so that what is sent in the background does not keep the session open: the next request
  // may open it again.
  const std::shared_ptr<CommandFiles> command_files;
  const std::shared_ptr<FirstNote> first_note = std::make_shared<FirstNote>();
  bool titled = false;
  std::uint64_t context_used = 0;  // tokens, as the model counted them last; 0: not known
  bool said_no_tools = false;
  // A model server of another user's, which the next turn asks about.
  std::optional<LocalServer> unasked_server;
  std::set<std::string> said_problems;  // of the project's instructions
  // What the client advertises and answers with null: done here instead. For all threads.
  std::atomic<bool> null_files = false, null_terminals = false;

  // ---- for all threads
  // The only way into the store. Known keys are masked. What cannot be stored now waits, and the
  // next turn reports it.
  void keep(std::vector<LiveSession::Entry> entries);
  void keep(const v1::SessionUpdate& update);
  // Stores an update that is about to be sent, and masks its keys as well.
  void keep_sent(v1::SessionUpdate& update);

  std::string mode() const;
  // Sets and stores the mode, with the update that a later session/load sends.
  void set_mode(const std::string& mode);
  std::shared_ptr<Model> model() const;
  void set_model(std::shared_ptr<Model> model);
  // No model is configured: the session runs on a placeholder model, which is not stored. Until
  // set_model().
  void set_no_model();
  bool has_model() const;
  // The provider has rejected the key. Until set_model().
  void set_key_rejected();
  bool key_rejected() const;
  std::shared_ptr<const Models> models() const;
  void set_models(std::shared_ptr<const Models> models);
  // The providers' keys that are known now. Throws Error.
  std::shared_ptr<const settings::Secrets> secrets() const;
  // Adds a note for the next turn.
  void note(Note note);
  std::vector<Note> take_notes();

  v1::SessionModeState mode_state() const;
  std::vector<v1::SessionConfigOption> config_options() const;

 private:
  std::shared_ptr<const settings::Secrets> last_secrets() const;

  mutable std::mutex mutex_;
  std::string mode_;
  std::shared_ptr<Model> model_;
  bool has_model_ = true, key_rejected_ = false;
  std::shared_ptr<const Models> models_;
  std::vector<Note> notes_;
  mutable std::shared_ptr<const settings::Secrets> secrets_;
  mutable std::string keys_stamp_;  // of the key file that they come from
};

}  // namespace acp::coder
