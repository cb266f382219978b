// The names of files in a patch of git's form.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace acp::gateway {

// The patch with its absolute paths translated. Its hunks stay as they are, and so do names in a/
// and b/.
std::string translate_patch(std::string_view patch,
                            const std::function<std::string(const std::string& path)>& translate);

}  // namespace acp::gateway
