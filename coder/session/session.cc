#include "coder/session/session.h"

#include <algorithm>
#include <utility>

#include "acp/json/codec.h"
#include "acp/workspace/touched.h"
#include "coder/session/masked.h"
#include "coder/session/modes.h"
#include "settings/file.h"

namespace acp::coder {

using namespace settings;

namespace {

std::vector<std::string> all_directories(const Session::Wanted& wanted) {
  std::vector<std::string> all = {wanted.cwd};
  all.insert(all.end(), wanted.additional_directories.begin(), wanted.additional_directories.end());
  return all;
}

v1::SessionConfigSelectOption choice(const std::string& value, const std::string& name) {
  v1::SessionConfigSelectOption option;
  option.value = value;
  option.name = name;
  return option;
}

v1::SessionConfigOption select(const char* id, const char* name,
                               v1::SessionConfigOptionCategory::Value category, std::string current,
                               std::vector<v1::SessionConfigSelectOption> choices) {
  v1::SessionConfigSelect select;
  select.currentValue = std::move(current);
  select.options = std::move(choices);
  v1::SessionConfigOption option;
  option.id = id;
  option.name = name;
  option.category = v1::SessionConfigOptionCategory(category);
  option.type = std::move(select);
  return option;
}

}  // namespace

Session::Session(Wanted wanted_, std::shared_ptr<Model> model, std::shared_ptr<const Models> models,
                 LiveSession kept_)
    : wanted(std::move(wanted_)),
      files(workspace::Boundary(all_directories(wanted), workspace::Forbidden(wanted.forbidden))),
      kept(std::move(kept_)),
      gate(all_directories(wanted), wanted.policy_file,
           [boundary = files.boundary()](const std::string& path, bool with_below,
                                         const std::stop_token& stop) {
             return workspace::touched(
                 boundary, path, with_below ? workspace::Ends::as_it_is : workspace::Ends::followed,
                 stop);
           }),
      command_files(std::make_shared<CommandFiles>(
          files.boundary(), CommandFileLimits{wanted.settings.command_file_bytes.value,
                                              wanted.settings.command_files_bytes.value,
                                              wanted.settings.command_files.value})),
      mode_(wanted.mode),
      model_(std::move(model)),
      models_(std::move(models)) {}

std::string Session::mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

void Session::set_mode(const std::string& mode) {
  v1::CurrentModeUpdate change;
  change.currentModeId = mode;
  // All with one lock: of two changes at the same time, the last one counts everywhere.
  const std::lock_guard lock(mutex_);
  mode_ = mode;
  kept.set_mode(mode, wanted.settings.mode.value);
  kept.append({{EntryKind::update, json::encode(v1::SessionUpdate(change))}});
}

std::shared_ptr<Model> Session::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

void Session::set_model(std::shared_ptr<Model> model) {
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
  has_model_ = true;
  key_rejected_ = false;
  kept.set_model(model_->info().id);
}

void Session::set_no_model() {
  const std::lock_guard lock(mutex_);
  has_model_ = false;
}

bool Session::has_model() const {
  const std::lock_guard lock(mutex_);
  return has_model_;
}

void Session::set_key_rejected() {
  const std::lock_guard lock(mutex_);
  key_rejected_ = true;
}

bool Session::key_rejected() const {
  const std::lock_guard lock(mutex_);
  return key_rejected_;
}

void Session::keep(std::vector<LiveSession::Entry> entries) {
  if (const auto known = last_secrets())
    for (LiveSession::Entry& entry : entries) known->mask(entry.body);
  kept.append(std::move(entries));
}

void Session::keep(const v1::SessionUpdate& update) {
  keep({{EntryKind::update, json::encode(update)}});
}

void Session::keep_sent(v1::SessionUpdate& update) {
  std::string encoded = json::encode(update);
  if (const auto known = last_secrets(); known && known->in(encoded)) {
    update = masked(update, *known);
    encoded = json::encode(update);
  }
  kept.append({{EntryKind::update, std::move(encoded)}});
}

std::shared_ptr<const Models> Session::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

void Session::set_models(std::shared_ptr<const Models> models) {
  const std::lock_guard lock(mutex_);
  models_ = std::move(models);
}

std::shared_ptr<const settings::Secrets> Session::secrets() const {
  const std::lock_guard lock(mutex_);
  std::string stamp = settings::file_stamp(models_->keys().path());
  if (!secrets_ || stamp != keys_stamp_) {
    try {
      secrets_ = std::make_shared<const settings::Secrets>(models_->settings(), models_->keys());
    } catch (const KeysError& error) {
      throw Error(rpc::internal_error, error.what());
    }
    keys_stamp_ = std::move(stamp);
  }
  return secrets_;
}

std::shared_ptr<const settings::Secrets> Session::last_secrets() const {
  const std::lock_guard lock(mutex_);
  return secrets_;
}

void Session::note(Note note) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(std::move(note));
}

std::vector<Note> Session::take_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

v1::SessionModeState Session::mode_state() const {
  v1::SessionModeState state;
  state.availableModes = session_modes();
  state.currentModeId = mode();
  return state;
}

std::vector<v1::SessionConfigOption> Session::config_options() const {
  using Category = v1::SessionConfigOptionCategory;
  std::vector<v1::SessionConfigSelectOption> modes, offered;
  for (const v1::SessionMode& mode : session_modes()) {
    modes.push_back(choice(mode.id, mode.name));
    modes.back().description = *mode.description;
  }
  const ModelInfo current = model()->info();
  for (const ModelInfo& model : models()->offered())
    offered.push_back(choice(model.id, model.name));
  if (std::none_of(offered.begin(), offered.end(),
                   [&](const auto& one) { return one.value == current.id; }))
    offered.insert(offered.begin(), choice(current.id, current.name));
  std::vector<v1::SessionConfigOption> options;
  options.push_back(select("mode", "Mode", Category::mode, mode(), std::move(modes)));
  options.push_back(select("model", "Model", Category::model, current.id, std::move(offered)));
  return options;
}

}  // namespace acp::coder
