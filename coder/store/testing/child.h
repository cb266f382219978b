// For tests: a second process, forked, that runs a function and can be killed. No Store may be open
// in this process when it begins: SQLite does not bear that.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>

#include "acp/io/descriptor.h"

namespace acp::coder::testing {

class Child {
 public:
  // It tells its parent things by say(), and waits for its word by hear().
  class Parent {
   public:
    Parent(int in, int out) : in_(in), out_(out) {}
    template <class Word>
    void say(const Word& word) const {
      if (::write(out_, &word, sizeof word) != sizeof word) _exit(2);
    }
    void hear() const {
      char word;
      if (::read(in_, &word, 1) != 1) _exit(3);
    }

   private:
    int in_, out_;
  };

  explicit Child(const std::function<void(const Parent&)>& run) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("pipe failed");
    std::fflush(nullptr);  // or what is in the buffers is written twice
    process_ = fork();
    if (process_ == 0) {
      close(to[1]);
      close(from[0]);
      try {
        run(Parent(to[0], from[1]));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "in the child: %s\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    close(to[0]);
    close(from[1]);
    to_.reset(to[1]);
    from_.reset(from[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) kill();
  }

  int process() const { return process_; }
  // False: it has ended, or will say no more.
  template <class Word>
  bool hear(Word& word) const {
    auto* const bytes = reinterpret_cast<char*>(&word);
    for (std::size_t got = 0; got < sizeof word;) {
      const ssize_t size = ::read(from_.get(), bytes + got, sizeof word - got);
      if (size <= 0) return false;
      got += static_cast<std::size_t>(size);
    }
    return true;
  }
  void say() const {
    if (::write(to_.get(), "!", 1) != 1) throw std::runtime_error("the child has ended");
  }
  // As kill -9 does, and waits until it is gone.
  void kill() {
    ::kill(process_, SIGKILL);
    wait();
  }
  // 0: it ran to its end.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }

 private:
  pid_t process_ = 0;
  io::Descriptor to_, from_;
};

}  // namespace acp::coder::testing
