// One end of a pipe or a socket, owned.
#pragma once

#include <utility>

namespace acp::io {

#ifdef _WIN32
// The system's type.
using NativeDescriptor = void*;
inline const NativeDescriptor no_descriptor = nullptr;
#else
// The system's type.
using NativeDescriptor = int;
inline constexpr NativeDescriptor no_descriptor = -1;
#endif

// Owns a descriptor, and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(NativeDescriptor native) : native_(native) {}
  Descriptor(Descriptor&& other) noexcept : native_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  explicit operator bool() const { return native_ != no_descriptor; }
  // The system's descriptor; this object still owns it.
  NativeDescriptor get() const { return native_; }
  // Gives up ownership without closing.
  NativeDescriptor release() { return std::exchange(native_, no_descriptor); }
  void reset(NativeDescriptor native = no_descriptor) {
    const NativeDescriptor old = std::exchange(native_, native);
    if (old != no_descriptor) close(old);
  }

 private:
  static void close(NativeDescriptor native);

  NativeDescriptor native_ = no_descriptor;
};

}  // namespace acp::io
