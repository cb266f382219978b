// bench_agent_grep [-F] [-i] [-m LINES] PATTERN DIRECTORY: the search of the tool grep, as a
// program.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "coder/tools/search.h"

int main(int argc, char** argv) try {
  acp::coder::SearchOptions options;
  options.max_matches = 100'000'000;
  for (int letter; (letter = getopt(argc, argv, "Fim:")) != -1;) {
    if (letter == 'F') options.literal = true;
    if (letter == 'i') options.ignore_case = true;
    if (letter == 'm') options.max_matches = std::strtoul(optarg, nullptr, 10);
    if (letter == '?') return 2;
  }
  if (argc - optind != 2) return 2;
  options.pattern = argv[optind];
  acp::io::Descriptor root(open(argv[optind + 1], O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return 2;
  const auto found = acp::coder::search_tree(std::move(root), options);
  std::string lines;
  for (const auto& match : found.matches)
    lines += match.path + ":" + std::to_string(match.line) + ":" + match.text + "\n";
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_agent_grep: %s\n", error.what());
  return 1;
}
