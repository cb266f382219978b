// Which model the built-in agent takes: the same words in help and docs.
#pragma once

namespace acp::cli {

inline constexpr const char* model_order =
    "--model, ACP_MODEL, the project's file, your file, a provider with a key or one that needs "
    "none, a model server found on this machine. Without any of them, offline stands in for acp "
    "chat and editors; acp run takes it only by its name (--model offline)";

// Of a report: when there is no model, and offline only stands in.
inline constexpr const char* stand_in =
    "offline stands in for 'acp chat' and editors; 'acp run' takes it only by its name "
    "(--model offline)";

}  // namespace acp::cli
