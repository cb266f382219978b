// For tests: what a text has in it, as predicates for EXPECT_PRED2, which shows both texts.
#pragma once

#include <string>

namespace acp::coder::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline bool lacks(const std::string& text, const std::string& part) {
  return !contains(text, part);
}
inline bool begins_with(const std::string& text, const std::string& part) {
  return text.starts_with(part);
}
inline bool ends_with(const std::string& text, const std::string& part) {
  return text.ends_with(part);
}

}  // namespace acp::coder::testing
