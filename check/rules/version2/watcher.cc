#include "check/rules/version2/watcher.h"

namespace acp::check {

std::unique_ptr<LaterRules> Rules::Parts::make_version_2() {
  return std::make_unique<version2::Watcher>(*this);
}

}  // namespace acp::check
