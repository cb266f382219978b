// Between a client and a server: passes bytes on, until one of them is reached; then it does what a
// bad network does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acp/io/descriptor.h"

namespace acp::remote::testing {

struct Fault {
  enum Kind { cut, reset, stall, split, delay };
  static constexpr int kinds = 5;
  Kind kind = cut;
  bool to_client = false;  // the direction whose bytes are counted
  std::size_t at = 0;      // of all its sockets together
  std::string text() const;
};

class FaultyProxy {
 public:
  // Without a fault.
  explicit FaultyProxy(std::uint16_t server) : FaultyProxy(server, {.at = SIZE_MAX}) {}
  FaultyProxy(std::uint16_t server, Fault fault);
  FaultyProxy(const FaultyProxy&) = delete;
  FaultyProxy& operator=(const FaultyProxy&) = delete;
  // Ends every socket.
  ~FaultyProxy();
  std::uint16_t port() const { return port_; }
  // All sockets of now are forgotten, as by a router: nothing passes, and no end is passed on. New
  // ones are none of these.
  void forget_all();
  // Whether so many bytes came by.
  bool reached() const { return reached_; }

 private:
  struct Pair;
  void run();
  void accept_one();
  void pass_on(Pair& pair, bool to_client);
  void strike(Pair& pair);
  // False: this is the end.
  bool wake();

  const std::uint16_t server_;
  const Fault fault_;
  io::Descriptor listener_, wakes_, woken_;
  std::uint16_t port_ = 0;
  std::size_t passed_ = 0;
  std::atomic<bool> reached_ = false, forgets_ = false;
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::thread thread_;
};

}  // namespace acp::remote::testing
