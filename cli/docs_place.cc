#include "cli/docs_place.h"

#include <filesystem>

#include "chat/program.h"

namespace acp::cli {

std::string docs_directory() {
  namespace fs = std::filesystem;
  std::error_code error;
  try {
    const fs::path here = fs::path(chat::own_program()).parent_path();
    // Installed, in build/bin, in build/PRESET/bin.
    for (const char* const place : {ACP_DOCS_FROM_PROGRAM, "../../docs", "../../../docs"}) {
      const fs::path directory = (here / place).lexically_normal();
      if (fs::is_regular_file(directory / "configuration.md", error)) return directory.string();
    }
  } catch (const std::runtime_error&) {
  }
  return "docs";
}

std::string with_docs(std::string text, const std::string& directory) {
  constexpr std::string_view named = "docs/";
  for (std::size_t at = 0; (at = text.find(named, at)) != std::string::npos;) {
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + named.size());
    if (end == std::string::npos || text.compare(end, 3, ".md") != 0) {
      at += named.size();
      continue;
    }
    text.replace(at, named.size() - 1, directory);
    at += directory.size() + 1;
  }
  return text;
}

}  // namespace acp::cli
