// Updates of a session that belong to no prompt, until the program takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/schema/v1.h"

namespace acp::detail {

class OutsideUpdates {
 public:
  static constexpr std::size_t max_bytes = 64 * 1024 * 1024;

  // `wholes`: version 2, where a call's content that grows by pieces comes as a
  // whole with each: only the last of them is kept. Returns true if older
  // updates had to go for the first time since they were taken.
  bool add(v1::SessionUpdate update, std::size_t bytes, bool wholes);
  std::vector<v1::SessionUpdate> take();

 private:
  struct Waiting {
    v1::SessionUpdate update;
    std::size_t bytes;
  };
  void drop_content(const std::string& call);

  std::deque<Waiting> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t first_ = 0;                                  // the number of the first that waits
  std::unordered_map<std::string, std::uint64_t> contents_;  // the last of each call
  bool dropped_ = false;
};

}  // namespace acp::detail
