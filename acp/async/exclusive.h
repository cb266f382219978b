// User code that runs one at a time, though it may block its thread.
#pragma once

namespace acp::async {

// Held by a thread while it runs such code, and released while it waits for a task.
class Exclusive {
 public:
  virtual void leave() = 0;
  // Returns when this thread has it again.
  virtual void enter() = 0;

  // The one that this thread holds; null if it holds none.
  static Exclusive* current();
  class Scope {
   public:
    explicit Scope(Exclusive* held);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Exclusive* const outer_;
  };

 protected:
  ~Exclusive() = default;
};

// While it lives, others may run: this thread waits.
class LetOthersRun {
 public:
  LetOthersRun() : held_(Exclusive::current()), scope_(nullptr) {
    if (held_ != nullptr) held_->leave();
  }
  LetOthersRun(const LetOthersRun&) = delete;
  LetOthersRun& operator=(const LetOthersRun&) = delete;
  ~LetOthersRun() {
    if (held_ != nullptr) held_->enter();
  }

 private:
  Exclusive* const held_;
  const Exclusive::Scope scope_;
};

}  // namespace acp::async
