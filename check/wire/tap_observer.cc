#include "check/wire/tap_observer.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "acp/io/printable.h"
#include "acp/io/private_file.h"

namespace acp::check {
namespace {

constexpr std::size_t farthest_behind = 64 * 1024 * 1024;
constexpr std::size_t written_at_once = 1024 * 1024;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Throws std::runtime_error.
io::Descriptor open_log(const TapOptions& options) {
  const std::string& path = options.log;
  const std::size_t mark = path.find("{n}");
  for (std::size_t number = 1; mark != std::string::npos; ++number) {
    const std::string named = path.substr(0, mark) + std::to_string(number) + path.substr(mark + 3);
    const auto taken = [&] {
      return std::filesystem::exists(std::filesystem::symlink_status(named));
    };
    if (taken()) continue;
    try {
      return io::open_private_file(named, io::Existing::refuse);
    } catch (const std::runtime_error&) {
      if (!taken()) throw;  // otherwise another tap was faster
    }
  }
  std::error_code error;
  if (!options.replace_log && std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > 0)
    throw std::runtime_error("cannot write " + path +
                             ": something stands in it; --force replaces it, and {n} in the name "
                             "counts recordings");
  return io::open_private_file(path, io::Existing::replace);
}

}  // namespace

std::int64_t now_in_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TapObserver::TapObserver(const TapOptions& options)
    : options_(options),
      recorder_(options.mask, options.mask_known),
      readers_{{options.framing, largest_frame}, {options.framing, largest_frame}},
      queue_(farthest_behind) {
  if (options.log.empty()) return;
  io::Descriptor file = open_log(options);
  log_.reset(fdopen(file.get(), "w"));
  if (log_ == nullptr)
    throw std::runtime_error("cannot write " + options.log + ": " + std::strerror(errno));
  file.release();
  RecordedHeader header;
  header.time = now_in_nanoseconds();
  header.program = options.program;
  header.command = options.command;
  for (const FaultSpec& each : options.faults) header.faults.push_back(each.text);
  header.seed = options.seed;
  recorder_.header(lines_, header);
  write_log();
}

TapObserver::~TapObserver() {
  if (!thread_.joinable()) return;
  queue_.end();
  thread_.join();
}

void TapObserver::start() {
  thread_ = std::thread([this] { watch(); });
}

void TapObserver::watch() {
  std::vector<TapQueue::Piece> pieces;
  while (queue_.take(pieces)) {
    for (const TapQueue::Piece& each : pieces) look(each);
    write_log();
  }
}

void TapObserver::look(const TapQueue::Piece& piece) {
  last_time_ = piece.time;
  if (piece.what == TapQueue::Piece::What::fault) {
    ++faults_;
    if (log_)
      recorder_.fault(lines_, {piece.time, std::string(piece.kind), piece.from, piece.frame,
                               std::string(piece.bytes)});
    return say("fault " + std::string(piece.kind) + " (" + std::string(side_name(piece.from)) +
               ", frame " + std::to_string(piece.frame) + "): " + std::string(piece.bytes));
  }
  rpc::FrameReader& reader = readers_[piece.from == Side::client ? 0 : 1];
  reader.feed(piece.bytes);
  while (const auto frame = reader.next()) see(piece.from, piece.time, *frame);
}

void TapObserver::see(Side from, std::int64_t time, const rpc::FrameReader::Framed& frame) {
  const WireFrame seen{time, from, frame.text};
  const json::Result<Json> message = Json::parse(frame.text);
  if (log_) recorder_.frame(lines_, frames_, seen, message);
  if (frame.kind == rpc::FrameReader::Framed::Kind::too_large)
    say("frame " + std::to_string(frames_) + " (" + std::string(side_name(from)) + ") has " +
        std::to_string(frame.size) + " bytes, and is neither checked nor recorded whole");
  else
    report(time, rules_.see(seen, message));
  ++frames_;
  if (lines_.size() >= written_at_once) write_log();
}

void TapObserver::report(std::int64_t time, const std::vector<Violation>& violations) {
  for (const Violation& each : violations) {
    ++violations_;
    if (log_) recorder_.violation(lines_, time, each);
    say(std::string(to_string(each.requirement->level)) + " " + std::string(each.requirement->id) +
        " (" + std::string(side_name(each.requirement->side)) + ", frame " +
        std::to_string(each.frame) + "): " + each.message);
  }
}

void TapObserver::finish(const std::string& reason) {
  queue_.end();
  if (thread_.joinable()) thread_.join();
  for (const Side side : {Side::client, Side::agent})
    if (const auto frame = readers_[side == Side::client ? 0 : 1].end())
      see(side, last_time_, *frame);
  report(last_time_, rules_.end());
  const auto open = rules_.unanswered();
  for (const Rules::Unanswered& each : open)
    say("not answered: " + each.method + " (" + std::string(side_name(each.from)) + ", frame " +
        std::to_string(each.frame) + ")");
  if (log_) recorder_.end(lines_, {now_in_nanoseconds(), reason});
  write_log();
  say(counted(frames_, "frame") + ", " + counted(violations_, "violation") +
      (options_.faults.empty() ? "" : ", " + counted(faults_, "fault")) + "; " + reason);
}

void TapObserver::write_log() {
  if (!log_ || lines_.empty()) return;
  const bool written = std::fwrite(lines_.data(), 1, lines_.size(), log_.get()) == lines_.size() &&
                       std::fflush(log_.get()) == 0;
  if (!written && !log_failed_) {
    log_failed_ = true;
    // Not to be silenced: what was asked for is not there.
    std::fprintf(stderr, "acp tap: cannot write %s: %s; the recording is incomplete\n",
                 io::one_line(options_.log, io::whole).c_str(), std::strerror(errno));
  }
  lines_.clear();
}

void TapObserver::say(const std::string& line) {
  if (options_.quiet) return;
  const std::string whole = "acp tap: " + io::one_line(line, 2000) + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace acp::check
