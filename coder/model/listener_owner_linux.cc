#include <arpa/inet.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include "coder/model/listener_owner.h"

namespace acp::coder {

namespace {

constexpr unsigned listening = 0x0A;

// An address as the tables have it: words in the byte order of the network, printed as numbers.
bool reaches_loopback(const std::string& address) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + 8 <= address.size(); at += 8)
    words.push_back(static_cast<std::uint32_t>(std::stoul(address.substr(at, 8), nullptr, 16)));
  const std::uint32_t loopback = htonl(INADDR_LOOPBACK);
  if (words.size() == 1) return words[0] == 0 || words[0] == loopback;
  if (words.size() != 4 || words[0] != 0 || words[1] != 0) return false;
  // :: takes both kinds, unless its program says otherwise, which nobody can see.
  if (words[2] == 0) return words[3] == 0;
  return words[2] == htonl(0xFFFF) && (words[3] == 0 || words[3] == loopback);
}

void add_listeners(const char* table, std::uint16_t port, std::set<uid_t>& users) {
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the head
  while (std::getline(file, line)) {
    std::array<char, 40> address = {};
    unsigned at = 0, state = 0, user = 0;
    if (std::sscanf(line.c_str(), " %*d: %39[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %u", address.data(),
                    &at, &state, &user) != 4)
      continue;
    if (at == port && state == listening && reaches_loopback(address.data())) users.insert(user);
  }
}

std::string name_of(uid_t user) {
  std::array<char, 16 * 1024> buffer;
  passwd entry = {};
  passwd* found = nullptr;
  if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(user);
}

}  // namespace

ListenerOwner listener_owner(std::uint16_t port) {
  std::set<uid_t> users;
  add_listeners("/proc/net/tcp", port, users);
  add_listeners("/proc/net/tcp6", port, users);
  if (users.empty()) return {.who = "an unknown user"};
  ListenerOwner owner{.trusted = true};
  std::string names;
  for (const uid_t user : users) {
    owner.trusted = owner.trusted && (user == geteuid() || user == 0);
    owner.id += (owner.id.empty() ? "" : "+") + std::to_string(user);
    names += (names.empty() ? "" : " and ") + name_of(user);
  }
  owner.who = (users.size() == 1 ? "user " : "users ") + names;
  return owner;
}

}  // namespace acp::coder
