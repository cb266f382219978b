// The two directions over which messages travel, and where they come from.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "acp/io/descriptor.h"

namespace acp {

// The rest of a transport that is more than descriptors. It lives as long as the connection.
class TransportLink {
 public:
  virtual ~TransportLink() = default;
  // Why there is nothing more to read; empty if there is no more to say than that.
  virtual std::string end_reason() const = 0;
};

// Descriptors to read from and to write to; one socket may be both. They are closed with it. A
// process at the other end is not ended: its owner does that (Client::spawn() has one).
struct Transport {
  io::Descriptor in;
  io::Descriptor out;                             // none: `in` is a socket, and both
  std::shared_ptr<TransportLink> link = nullptr;  // may be none
  // Makes another one to the same place. None: there is only this one.
  std::function<Transport()> again = nullptr;
};

// This program's own standard input and output, taken for good: from now on reading stdin finds its
// end, and what the program prints goes to stderr, never between the messages. Throws
// std::system_error; std::logic_error if it is called twice.
Transport stdio();

// Two ends of one connection within a program; for tests.
std::pair<Transport, Transport> memory_pair();

}  // namespace acp
