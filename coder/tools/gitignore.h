// Matches paths with the patterns of a .gitignore.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace acp::coder {

// The patterns of one file, for the paths below the file's directory.
class IgnoreFile {
 public:
  explicit IgnoreFile(std::string_view text);

  bool empty() const { return patterns_.empty(); }
  // Whether the last matching pattern ignores the path, or includes it again; nothing if none
  // matches. `path` is relative to the file's directory, without a slash at its beginning or end.
  // Once the token is set, the answer is not to be relied on.
  std::optional<bool> ignores(std::string_view path, bool is_directory,
                              const std::stop_token& stop = {}) const;

 private:
  enum class Piece {
    character,
    any_character,  // ?
    one_of,         // [...]
    some,           // *: no slash
    directories,    // **/: none or more, each with its slash
    everything,     // ** at the end
  };
  struct Token {
    Piece piece;
    char character = 0;
    std::uint16_t set = 0;  // one_of: which of the pattern's sets
  };
  struct Pattern {
    std::vector<Token> tokens;
    std::vector<std::bitset<256>> sets;
    std::string literal;       // instead of tokens, if there is nothing but characters
    std::string suffix;        // instead of tokens, for "*" and characters
    std::string begins, ends;  // beside tokens: the characters that they begin and end with
    bool whole_path = false;   // else its last part
    bool takes_back = false;   // !
    bool directory_only = false;
  };

  static std::optional<Pattern> compile(std::string_view line);
  static bool tokens_match(const Pattern& pattern, std::string_view text);
  static bool matches(const Pattern& pattern, std::string_view path);

  std::vector<Pattern> patterns_;
};

// The ignore files that apply in a directory: its own, and those of the directories above it.
class IgnoreRules {
 public:
  // The rules of a tree's root.
  IgnoreRules() = default;
  // `directory` is relative to the tree's root, "" for the root itself.
  IgnoreRules(std::shared_ptr<const IgnoreRules> above, std::string directory, IgnoreFile file)
      : above_(std::move(above)), directory_(std::move(directory)), file_(std::move(file)) {}

  // `path` is relative to the tree's root. Whatever is below an ignored directory is not asked for.
  bool ignores(std::string_view path, bool is_directory, const std::stop_token& stop = {}) const;

 private:
  std::shared_ptr<const IgnoreRules> above_;
  std::string directory_;
  IgnoreFile file_{""};
};

}  // namespace acp::coder
