#include <cstdlib>

#include "bench/remote/drive.h"

namespace bench::remote {

// Its first line ends with ":8787/acp".
ServerProcess::ServerProcess(const Contestant& contestant, wire::Cores cores,
                             const std::string& step)
    : child_(contestant.name, contestant.command, cores, step + ": start", 20) {
  const std::string line(child_.line());
  const std::size_t colon = line.rfind(':');
  port_ = static_cast<std::uint16_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 10));
  if (colon == line.npos || port_ == 0) child_.fail("no address: " + line);
}

}  // namespace bench::remote
