#include "coder/turn/instructions.h"

#include <algorithm>
#include <filesystem>

#include "acp/json/utf8.h"
#include "acp/workspace/files/files.h"
#include "coder/session/modes.h"
#include "settings/project_file.h"

namespace acp::coder {

namespace {

constexpr std::size_t most_bytes = 64 * 1024;
constexpr std::size_t most_in_all = 256 * 1024;
constexpr std::size_t most_files = 32;
constexpr std::size_t longest_key = 4096;  // what is masked may reach beyond what is read

constexpr const char* ours =
    R"(You are a coding agent. You work in a project on the user's machine, with tools, until what the user asked for is done.

- Look before you change: read what you edit, search for where things are used. Never guess what a file says.
- Make the change that was asked for, in the style of the code around it, and no other.
- Check your work with the project's own means: build it, run its tests, where the mode allows it.
- A tool that fails says why: read that, and try another way. Do not repeat a call that was rejected by the user.
- Call tools that do not depend on each other in one go.
- Answer in Markdown, briefly: what you did and what is left, without repeating what the user has seen. Name places as path:line.
- If something cannot be done, or you are not sure, say so.
)";

std::string parent_of(const std::string& directory) {
  const std::size_t slash = directory.rfind('/');
  if (slash == std::string::npos || directory == "/") return {};
  return slash == 0 ? "/" : directory.substr(0, slash);
}

// Where .git is, at or above the directory; the directory itself if there is none.
std::string root_of(const std::string& cwd) {
  for (std::string at = cwd; !at.empty(); at = parent_of(at)) {
    std::error_code unseen;
    const auto status = std::filesystem::symlink_status(std::filesystem::path(at) / ".git", unseen);
    if (std::filesystem::exists(status)) return at;
  }
  return cwd;
}

// False if the name leads to what is forbidden.
bool is_reachable(const std::string& directory, const char* name,
                  const workspace::Forbidden& forbidden) {
  try {
    workspace::Files(workspace::Boundary({directory}, forbidden)).kind(name);
  } catch (const workspace::FileError& error) {
    return error.kind() != workspace::FileError::Kind::denied;
  }
  return true;
}

}  // namespace

ProjectInstructions project_instructions(const std::string& directory,
                                         const workspace::Forbidden& forbidden,
                                         const std::function<void(std::string&)>& mask) {
  std::string cwd = directory;
  while (cwd.size() > 1 && cwd.ends_with('/')) cwd.pop_back();
  ProjectInstructions result;
  const std::string root = root_of(cwd);
  std::size_t all = 0;
  for (std::string at = cwd; !at.empty(); at = parent_of(at)) {
    const std::string path = (at == "/" ? "" : at) + "/AGENTS.md";
    if (result.files.size() + result.problems.size() >= most_files || all == most_in_all) {
      result.problems.push_back("AGENTS.md in " + at +
                                " and above it is not looked for: there are " +
                                std::to_string(most_files) + " files below it, or " +
                                std::to_string(most_in_all) + " bytes of them");
      break;
    }
    const std::size_t most = std::min(most_bytes, most_in_all - all);
    settings::ProjectText file =
        settings::read_project_file(at, "AGENTS.md", cwd, mask ? most + longest_key : most);
    // Looked at afterwards: most directories have no such file.
    if (file.text && !is_reachable(at, "AGENTS.md", forbidden)) {
      file = {};
      file.problem = path + " is not used: it leads to what belongs to acp itself";
    }
    if (!file.problem.empty()) result.problems.push_back(std::move(file.problem));
    if (file.text) {
      if (mask) mask(*file.text);
      const std::size_t taken = file.size > most ? json::utf8_cut(*file.text, most) : file.size;
      if (file.size > most) file.text->resize(taken);
      all += file.text->size();
      if (taken < file.size) {
        *file.text += "\n[" + std::to_string(file.size - taken) + " more bytes are left out]";
        result.problems.push_back(path + " is not read to its end: " + std::to_string(taken) +
                                  " of its " + std::to_string(file.size) + " bytes are (" +
                                  std::to_string(most_bytes) + " of a file, " +
                                  std::to_string(most_in_all) + " in all)");
      }
      result.files.push_back({path, std::move(*file.text)});
    }
    if (at == root) break;
  }
  return result;
}

std::string instructions(const InstructionsWanted& wanted,
                         const std::vector<ProjectFile>& project_files) {
  std::string text = wanted.override_ours ? "" : ours;
  if (!wanted.system_prompt.empty()) text += "\n" + wanted.system_prompt + "\n";
  text += "\n# Environment\n\nWorking directory: " + wanted.cwd + "\n";
  for (const std::string& directory : wanted.additional_directories)
    text += "Also yours to work in: " + directory + "\n";
  text +=
      "Relative paths start at the working directory. The file tools reach these directories "
      "and nothing else.\nToday is " +
      wanted.date + ".\n\n";
  text += mode_rules(wanted.mode);
  text += "\n";
  for (const ProjectFile& file : project_files)
    text += "\n# From " + file.path + "\n\n" + file.text + "\n";
  return text;
}

}  // namespace acp::coder
