// A queue from the relaying thread to the checking one: bytes of both sides, in their order.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "check/rules/rules.h"

namespace acp::check {

// The relay reads into the queue's memory: nothing is copied.
class TapQueue {
 public:
  struct Piece {
    enum class What : unsigned char { bytes, fault };
    What what = What::bytes;
    Side from = Side::client;
    std::int64_t time = 0;
    std::string_view kind = {};   // of a fault; its detail are the bytes
    std::size_t frame = 0;        // of a fault
    std::string_view bytes = {};  // in the block
    std::shared_ptr<char[]> block = {};
  };

  explicit TapQueue(std::size_t limit) : limit_(limit) {}

  // The relay. Where the next bytes may be read to: `size` of them at least.
  std::span<char> space(std::size_t size) {
    if (left_ < size) {
      left_ = std::max(size, block_size);
      block_ = std::shared_ptr<char[]>(new char[left_]);
      end_ = block_.get();
    }
    return {end_, left_};
  }
  // The first `size` bytes there are `piece`. Waits while the other thread is `limit` behind; does
  // not wake it: that is for wake(), when there is time.
  void put(Piece piece, std::size_t size) {
    piece.bytes = {end_, size};
    piece.block = block_;
    end_ += size;
    left_ -= size;
    std::unique_lock lock(mutex_);
    if (behind_ >= limit_) {
      filled_.notify_one();
      room_.wait(lock, [this] { return behind_ < limit_; });
    }
    const std::size_t before = std::exchange(behind_, behind_ + cost(piece));
    wakes_ |= pieces_.empty() || (before < limit_ / 2 && behind_ >= limit_ / 2);
    pieces_.push_back(std::move(piece));
  }
  void put(Piece piece, std::string_view bytes) {
    bytes.copy(space(bytes.size()).data(), bytes.size());
    put(std::move(piece), bytes.size());
  }
  void wake() {
    if (std::exchange(wakes_, false)) filled_.notify_one();
  }
  void end() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    filled_.notify_one();
  }

  // The other thread: all there is, in exchange for what it had before. What is relayed goes first:
  // while more comes, it waits for a pause; but not for long, nor when it is far behind. False when
  // there will be no more.
  bool take(std::vector<Piece>& pieces) {
    std::size_t seen = 0;
    for (const Piece& each : pieces) seen += cost(each);
    pieces.clear();
    std::unique_lock lock(mutex_);
    behind_ -= seen;
    if (seen > 0) room_.notify_one();
    filled_.wait(lock, [this] { return ended_ || !pieces_.empty(); });
    const auto latest = std::chrono::steady_clock::now() + longest_wait;
    for (std::size_t before = 0; before != pieces_.size();) {
      before = pieces_.size();
      const auto until = std::min(std::chrono::steady_clock::now() + pause, latest);
      if (until == latest ||
          filled_.wait_until(lock, until, [this] { return ended_ || behind_ >= limit_ / 2; }))
        break;
    }
    std::swap(pieces, pieces_);
    return !pieces.empty();
  }

 private:
  static constexpr std::size_t block_size = 1024 * 1024;
  static constexpr std::chrono::milliseconds pause{1}, longest_wait{250};
  // What a piece keeps in memory, also one of a single byte.
  static std::size_t cost(const Piece& piece) { return sizeof piece + piece.bytes.size(); }

  const std::size_t limit_;
  // The relay's: the block that is being filled, from where on, and how much of it is left.
  std::shared_ptr<char[]> block_;
  char* end_ = nullptr;
  std::size_t left_ = 0;
  bool wakes_ = false;  // the other thread waits for what was put last

  std::mutex mutex_;
  std::condition_variable filled_, room_;
  std::vector<Piece> pieces_;
  std::size_t behind_ = 0;  // cost of what was put and not seen yet
  bool ended_ = false;
};

}  // namespace acp::check
