#include "coder/session/kept_session.h"

#include <algorithm>
#include <utility>

namespace acp::coder {

namespace {

using Lock = std::lock_guard<std::mutex>;

std::size_t update_bytes(const std::vector<LiveSession::Entry>& entries) {
  std::size_t bytes = 0;
  for (const LiveSession::Entry& entry : entries)
    if (entry.kind == EntryKind::update) bytes += entry.body.size() + sizeof entry;
  return bytes;
}

}  // namespace

KeptSession::~KeptSession() { settle(); }

bool KeptSession::attempt(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const UnknownSession& error) {
    if (!std::exchange(removed_, true)) news_.push_back({News::Kind::removed, error.what()});
    waiting_.clear();
    title_ = mode_ = model_ = {};
    waits_ = false;
    return true;
  } catch (const StoreError& error) {
    if (!std::exchange(waits_, true)) news_.push_back({News::Kind::waits, error.what()});
    return false;
  }
}

void KeptSession::append(std::vector<Entry> entries) {
  const Lock lock(mutex_);
  if (removed_ || entries.empty()) return;
  if (settle_locked() && attempt([&] { live_.append(entries); })) return;
  wait_for_room(std::move(entries));
}

void KeptSession::wait_for_room(std::vector<Entry> entries) {
  const std::size_t bytes = update_bytes(entries);
  if (waiting_bytes_ + bytes > most_bytes_) {
    if (!std::exchange(dropped_, true))
      news_.push_back({News::Kind::dropped, "More than " +
                                                std::to_string(most_bytes_ / 1024 / 1024) +
                                                " MiB wait to be stored. What is said from now on "
                                                "will be missing when this session is loaded."});
    std::erase_if(entries, [](const Entry& entry) { return entry.kind == EntryKind::update; });
    if (entries.empty()) return;
  } else {
    waiting_bytes_ += bytes;
  }
  waiting_.push_back(std::move(entries));
}

void KeptSession::set_title(const std::string& title) { set(title_, title); }
void KeptSession::set_model(const std::string& model) { set(model_, model); }
void KeptSession::set_mode(const std::string& mode, const std::string& configured) {
  set(mode_, mode, configured);
}

void KeptSession::set(Value& value, const std::string& text, const std::string& configured) {
  const Lock lock(mutex_);
  if (removed_) return;
  value = {text, configured, true};
  settle_locked();
}

bool KeptSession::settle() {
  const Lock lock(mutex_);
  return settle_locked();
}

bool KeptSession::settle_locked() {
  const auto store = [&](Value& value, const std::function<void()>& action) {
    if (value.waits && !attempt(action)) return false;
    value.waits = false;
    return true;
  };
  if (!store(mode_, [&] { live_.set_mode(mode_.text, mode_.configured); }) ||
      !store(model_, [&] { live_.set_model(model_.text); }) ||
      !store(title_, [&] { live_.set_title(title_.text); }))
    return false;
  while (!waiting_.empty()) {
    if (!attempt([&] { live_.append(waiting_.front()); })) return false;
    if (waiting_.empty()) break;  // it was removed
    waiting_bytes_ -= std::min(waiting_bytes_, update_bytes(waiting_.front()));
    waiting_.pop_front();
  }
  waiting_bytes_ = 0;
  if (std::exchange(waits_, false))
    news_.push_back(
        {News::Kind::stored, dropped_ ? "Some of what was said meanwhile is missing." : ""});
  dropped_ = false;
  return true;
}

std::vector<KeptSession::News> KeptSession::take_news() {
  const Lock lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace acp::coder
