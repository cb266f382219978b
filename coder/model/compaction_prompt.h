// The prompt for a summary, when a conversation has become too long.
#pragma once

namespace acp::coder {

inline constexpr const char* compaction_prompt =
    "Our conversation has become long, and will go on from a summary. Write that summary now, and "
    "nothing else: what I asked for, word by word where it matters; what was found out, with "
    "paths, "
    "names and numbers; what was changed, and where; what was decided, and why; what failed; what "
    "is "
    "still to be done, and the next step.";

}  // namespace acp::coder
