// Bytes in base64, as terminals' output comes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::detail::versions {

struct Decoded {
  std::string bytes;
  bool complete = true;  // no more than the limit, and all of it base64
};

// The last bytes, as many as the limit allows; what is before anything that is no base64. Padding
// may be missing.
Decoded decode_base64(std::string_view text, std::size_t limit);

// With padding.
std::string encode_base64(std::string_view bytes);

}  // namespace acp::detail::versions
