// What a page says, and what the offline model makes of a request: whatever comes, it comes to an
// end, and a page's text is never longer than the page by more than a replaced character.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "coder/model/offline.h"
#include "coder/tools/html_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (acp::coder::html_text(input).size() > 2 * size + 8) std::abort();
  for (const acp::coder::OfflineStep& step : acp::coder::offline_steps(std::string(input)))
    if (!step.tool.empty() && !step.arguments.is_object()) std::abort();
  return 0;
}
