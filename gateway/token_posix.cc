#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "acp/io/private_file.h"
#include "gateway/token.h"

namespace acp::gateway {

namespace {

constexpr std::size_t token_bytes = 32;

}  // namespace

std::string random_digits(std::size_t size) {
  std::vector<unsigned char> bytes(size);
  if (getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size))
    throw std::runtime_error("this system has no randomness to give");
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string read_token(const std::string& file) {
  struct stat about;
  if (stat(file.c_str(), &about) != 0)
    throw std::runtime_error("the token's file " + file +
                             " cannot be read: " + std::strerror(errno));
  if (S_ISREG(about.st_mode) && (about.st_mode & 077) != 0)
    throw std::runtime_error("others can read the token's file " + file + ": chmod 600 " + file);
  if (S_ISREG(about.st_mode) && about.st_uid != geteuid() && about.st_uid != 0)
    throw std::runtime_error("the token's file " + file + " belongs to another user");
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw std::runtime_error("the token's file " + file + " cannot be read");
  constexpr const char* space = " \t\r\n";
  text.erase(text.find_last_not_of(space) + 1);
  text.erase(0, text.find_first_not_of(space));
  if (text.empty()) throw std::runtime_error("the token's file " + file + " is empty");
  if (text.find_first_of(space) != std::string::npos)
    throw std::runtime_error("the token's file " + file + " holds more than one word");
  return text;
}

Token read_or_make_token(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) return {read_token(file), file};
  const Token token{random_digits(token_bytes), file, true};
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  io::write_private_file(file, token.value + "\n", io::Existing::refuse);
  return token;
}

std::string usual_token_file() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  const std::string folder = state != nullptr && *state == '/' ? state
                             : home != nullptr                 ? std::string(home) + "/.local/state"
                                                               : "";
  return folder.empty() ? "" : folder + "/acp/serve-token";
}

}  // namespace acp::gateway
