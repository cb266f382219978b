// An array that is written element by element.
#pragma once

#include <utility>

#include "acp/json/writer.h"

namespace acp::coder {

class Array {
 public:
  explicit Array(json::Writer& out) : out_(out) { out_.put('['); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { out_.put(']'); }
  // Where the next element is to be written.
  json::Writer& next() {
    if (!std::exchange(first_, false)) out_.put(',');
    return out_;
  }

 private:
  json::Writer& out_;
  bool first_ = true;
};

}  // namespace acp::coder
