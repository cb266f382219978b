// How the requirements of version 2 are written down. Private to check/rules/version2.
#pragma once

#include "check/rules/requirement_lists.h"

#define ACP_PAGE "https://agentclientprotocol.com/protocol/v2/"

namespace acp::check::version2 {

inline constexpr Level must = Level::must, should = Level::should;

constexpr Requirement of_agent(std::string_view id, Level level, std::string_view sentence,
                               std::string_view page) {
  return {id, Side::agent, level, sentence, page};
}
constexpr Requirement of_client(std::string_view id, Level level, std::string_view sentence,
                                std::string_view page) {
  return {id, Side::client, level, sentence, page};
}

}  // namespace acp::check::version2
