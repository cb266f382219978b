// Makes messages on standard error printable, so that no text controls the terminal.
#pragma once

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string_view>

#include "acp/io/printable.h"

namespace acp::cli {

// While it lives, all output of std::cerr is made printable. May be used by several threads.
class PrintableStderr : private std::streambuf {
 public:
  PrintableStderr() : to_(std::cerr.rdbuf(this)) {}
  ~PrintableStderr() override { std::cerr.rdbuf(to_); }
  PrintableStderr(const PrintableStderr&) = delete;
  PrintableStderr& operator=(const PrintableStderr&) = delete;

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::lock_guard lock(mutex_);
    const std::string shown = printable_({text, static_cast<std::size_t>(size)});
    const auto all = static_cast<std::streamsize>(shown.size());
    return to_->sputn(shown.data(), all) == all ? size : 0;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override {
    const std::lock_guard lock(mutex_);
    return to_->pubsync();
  }

  std::mutex mutex_;
  std::streambuf* const to_;
  io::PrintableStream printable_;
};

}  // namespace acp::cli
