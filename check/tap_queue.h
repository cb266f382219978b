// What one thread reads and another one looks at: bytes of both sides, in their order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "check/rules.h"

namespace acp::check {

// Bytes are copied once, into one block that is handed over as a whole.
class TapQueue {
 public:
  struct Piece {
    enum class What : unsigned char { bytes, fault };
    What what = What::bytes;
    Side from = Side::client;
    std::int64_t time = 0;
    std::size_t size = 0;        // of its bytes in the block
    std::string_view kind = {};  // of a fault; its detail stands in the block
    std::size_t frame = 0;       // of a fault
  };
  struct Block {
    std::string bytes;
    std::vector<Piece> pieces;
  };

  explicit TapQueue(std::size_t limit) : limit_(limit) {}

  // The relay. put() waits while the other thread is `limit` behind; it does not wake it: that is
  // for wake(), when there is time.
  void put(Piece piece, std::string_view bytes) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return filling_.bytes.size() < limit_; });
    piece.size = bytes.size();
    filling_.bytes.append(bytes);
    filling_.pieces.push_back(piece);
  }
  void wake() { filled_.notify_one(); }
  void end() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    filled_.notify_one();
  }

  // The other thread: all there is, in exchange for an empty block. False when there will be no
  // more.
  bool take(Block& block) {
    block.bytes.clear();
    block.pieces.clear();
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return ended_ || !filling_.pieces.empty(); });
      std::swap(block, filling_);
    }
    room_.notify_one();
    return !block.pieces.empty();
  }

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable filled_, room_;
  Block filling_;
  bool ended_ = false;
};

}  // namespace acp::check
