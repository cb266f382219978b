// A server's token, in a file that only its owner can read.
#pragma once

#include <cstddef>
#include <string>

namespace acp::gateway {

struct Token {
  std::string value;
  std::string file;
  bool is_new = false;  // it was made now
};

// Reads the token, without the white space around it. Throws std::runtime_error if it cannot be
// read, is empty, or others can read it.
std::string read_token(const std::string& file);
// Reads the token, or makes the file with a token of 256 bits.
Token read_or_make_token(const std::string& file);
// So many random bytes, as hexadecimal digits. Throws std::runtime_error.
std::string random_digits(std::size_t bytes);
// The path of `serve-token` in acp's state directory.
std::string usual_token_file();

}  // namespace acp::gateway
