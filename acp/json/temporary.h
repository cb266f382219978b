// Values whose type is known at run time only.
#pragma once

#include <cstddef>
#include <memory>

#include "acp/json/type.h"

namespace acp::json {

// Room for one of them.
class Temporary {
 public:
  explicit Temporary(const Type& type)
      : type_(type),
        room_(std::make_unique_for_overwrite<std::max_align_t[]>(
            type.size / sizeof(std::max_align_t) + 1)) {
    type_.life->construct(room_.get());
  }
  ~Temporary() { type_.life->destroy(room_.get()); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void* get() { return room_.get(); }

 private:
  const Type& type_;
  std::unique_ptr<std::max_align_t[]> room_;
};

inline void reset(const Type& type, void* value) {
  type.life->destroy(value);
  type.life->construct(value);
}

}  // namespace acp::json
