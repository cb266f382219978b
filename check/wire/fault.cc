#include "check/wire/fault.h"

#include <algorithm>
#include <utility>

#include "acp/json/json.h"

namespace acp::check {
namespace {

using Kind = FaultSpec::Kind;

std::string framed(std::string_view body, rpc::Framing framing) {
  if (framing == rpc::Framing::content_length)
    return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
  return std::string(body) + "\n";
}

constexpr std::size_t most_asked = 10'000;
constexpr std::chrono::milliseconds between_pieces{1};
constexpr std::string_view noises[] = {"Loading model...", "[warn] cache is cold", "Segmentation",
                                       "{\"not\": \"a message\"", "\x1b[31mERROR\x1b[0m oops"};

}  // namespace

std::uint64_t Dice::next() {
  // splitmix64
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Faults::Faults(std::vector<FaultSpec> specs, std::uint64_t seed) : specs_(std::move(specs)) {
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      Dice dice(seed);
      // Each has dice of its own: what one does changes nothing for another.
      Dice own(dice.next() + 2 * i + side);
      counters_[side].push_back({Dice(own.next()), 0});
    }
}

std::string Faults::method_of(Side from, std::string_view frame) {
  const auto message = Json::parse(frame);
  if (!message) return "";
  const std::string id((*message)["id"].text());
  if (const auto method = (*message)["method"].as_string()) {
    auto& asked = asked_[index(from)];
    if (!id.empty() && asked.size() < most_asked) asked[id] = *method;
    return *method;
  }
  auto& asked = asked_[1 - index(from)];
  const auto at = asked.find(id);
  if (at == asked.end()) return "";
  std::string method = std::move(at->second);
  asked.erase(at);
  return method;
}

bool Faults::hits(const FaultSpec& spec, Counter& counter, Side from,
                  const std::string& method) const {
  if (!(from == Side::client ? spec.client : spec.agent)) return false;
  if (spec.method.ends_with('*')) {
    if (!method.starts_with(spec.method.substr(0, spec.method.size() - 1))) return false;
  } else if (!spec.method.empty() && method != spec.method) {
    return false;
  }
  ++counter.seen;
  if (spec.at) return counter.seen == *spec.at;
  return !spec.chance || counter.dice.fraction() < *spec.chance;
}

Faults::Outcome Faults::pass(Side from, std::string_view frame, rpc::Framing framing) {
  Outcome outcome;
  const std::size_t side = index(from);
  const std::string method = method_of(from, frame);
  const std::string what = method.empty() ? "a frame" : method;
  // Every spec sees every frame, so that none changes what another does.
  std::vector<std::pair<const FaultSpec*, Dice*>> hit;
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (hits(specs_[i], counters_[side][i], from, method))
      hit.emplace_back(&specs_[i], &counters_[side][i].dice);
  const auto find = [&](Kind kind) -> const std::pair<const FaultSpec*, Dice*>* {
    for (const auto& each : hit)
      if (each.first->kind == kind) return &each;
    return nullptr;
  };
  const auto tell = [&](Kind kind, std::string detail) {
    outcome.told.push_back({to_string(kind), std::move(detail)});
  };

  if (find(Kind::kill) != nullptr) {
    tell(Kind::kill, "the agent is killed in place of " + what);
    outcome.kill = true;
    return outcome;
  }
  FaultedWrite write;
  if (const auto* stall = find(Kind::stall)) {
    write.for_good = !stall->first->time;
    write.pause = stall->first->time.value_or(std::chrono::milliseconds(0));
    tell(Kind::stall, write.for_good ? "from " + what + " on nothing is written any more"
                                     : what + " and what follows wait " +
                                           std::to_string(write.pause.count()) + " ms");
  }
  if (find(Kind::drop) != nullptr) {
    tell(Kind::drop, what + " is not written");
    if (write.for_good) outcome.writes.push_back(std::move(write));
    return outcome;
  }
  std::string body(frame);
  if (const auto* truncate = find(Kind::truncate); truncate != nullptr && body.size() > 1) {
    body.resize(1 + truncate->second->below(body.size() - 1));
    tell(Kind::truncate, "only " + std::to_string(body.size()) + " of " +
                             std::to_string(frame.size()) + " bytes of " + what + " are written");
  }
  if (const auto* corrupt = find(Kind::corrupt); corrupt != nullptr && !body.empty()) {
    const std::size_t place = corrupt->second->below(body.size());
    body[place] = '\xFF';
    tell(Kind::corrupt, "byte " + std::to_string(place) + " of " + what + " becomes 0xFF");
  }
  std::string bytes = framed(body, framing);
  if (find(Kind::duplicate) != nullptr) {
    bytes += bytes;
    tell(Kind::duplicate, what + " is written twice");
  }
  if (const auto* noise = find(Kind::noise)) {
    bytes.insert(0, framed(noises[noise->second->below(std::size(noises))], framing));
    tell(Kind::noise, "a line that is no message stands before " + what);
  }
  if (const auto* delay = find(Kind::delay)) {
    const auto time = delay->first->time.value_or(std::chrono::milliseconds(50));
    write.pause += time;
    tell(Kind::delay, what + " waits " + std::to_string(time.count()) + " ms");
  }
  if (find(Kind::merge) != nullptr) {
    tell(Kind::merge, what + " is written together with the next one");
    held_[side] += bytes;
    return outcome;
  }
  if (find(Kind::reorder) != nullptr) {
    tell(Kind::reorder, what + " is written after the next one");
    late_[side] += bytes;
    return outcome;
  }
  bytes.insert(0, std::exchange(held_[side], {}));
  bytes += std::exchange(late_[side], {});
  const auto* split = find(Kind::split);
  if (split != nullptr) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < split->first->pieces && bytes.size() > 1; ++i)
      cuts.push_back(1 + split->second->below(bytes.size() - 1));
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    tell(Kind::split, what + " is written in " + std::to_string(cuts.size() + 1) + " pieces");
    std::size_t done = 0;
    for (const std::size_t cut : cuts) {
      write.bytes = bytes.substr(done, cut - done);
      outcome.writes.push_back(std::move(write));
      write = {};
      write.pause = between_pieces;
      done = cut;
    }
    bytes.erase(0, done);
  }
  write.bytes = std::move(bytes);
  outcome.writes.push_back(std::move(write));
  return outcome;
}

Faults::Outcome Faults::release(Side from) {
  const std::size_t side = index(from);
  Outcome outcome;
  if (!holds(from)) return outcome;
  FaultedWrite write;
  write.bytes = std::exchange(held_[side], {}) + std::exchange(late_[side], {});
  outcome.writes.push_back(std::move(write));
  return outcome;
}

}  // namespace acp::check
