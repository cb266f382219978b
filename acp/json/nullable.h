// A member that can be absent, null, or a value, where the wire tells the three apart.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace acp {

// A member that may be absent, null or a value.
template <class T>
class Nullable {
 public:
  // What it is: not there, null, or a value.
  enum class State : unsigned char { absent, null, value };

  Nullable() noexcept {}
  Nullable(std::nullptr_t) noexcept : state_(State::null) {}
  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Nullable> &&
             !std::is_same_v<std::remove_cvref_t<U>, std::nullptr_t> &&
             std::is_convertible_v<U &&, T>)
  Nullable(U&& value) : state_(State::value), value_(std::forward<U>(value)) {}
  Nullable(const Nullable& other) : state_(other.state_) {
    if (other.has_value()) make(other.value_);
  }
  Nullable(Nullable&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
      : state_(other.state_) {
    if (other.has_value()) make(std::move(other.value_));
  }
  Nullable& operator=(const Nullable& other) {
    if (this != &other) *this = Nullable(other);
    return *this;
  }
  Nullable& operator=(Nullable&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    reset();
    if (other.has_value()) make(std::move(other.value_));
    state_ = other.state_;
    return *this;
  }
  ~Nullable() {
    if (has_value()) value_.~T();
  }

  // Which of the three it is.
  State state() const noexcept { return state_; }
  bool absent() const noexcept { return state_ == State::absent; }
  bool is_null() const noexcept { return state_ == State::null; }
  bool has_value() const noexcept { return state_ == State::value; }
  explicit operator bool() const noexcept { return has_value(); }

  // Only where has_value().
  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

  // The value, or this.
  template <class U>
  T value_or(U&& fallback) const {
    return has_value() ? value_ : static_cast<T>(std::forward<U>(fallback));
  }

  // A value, made in place.
  template <class... Args>
  T& emplace(Args&&... args) {
    reset();
    make(std::forward<Args>(args)...);
    state_ = State::value;
    return value_;
  }
  // Back to absent.
  void reset() noexcept {
    if (has_value()) value_.~T();
    state_ = State::absent;
  }

  friend bool operator==(const Nullable& a, const Nullable& b) {
    return a.state_ == b.state_ && (!a.has_value() || a.value_ == b.value_);
  }

 private:
  // Not std::construct_at: <memory> costs every user a fifth of a second.
  template <class... Args>
  void make(Args&&... args) {
    ::new (static_cast<void*>(&value_)) T(std::forward<Args>(args)...);
  }

  State state_ = State::absent;
  union {
    T value_;
  };
};

}  // namespace acp
