// How the built-in agent chooses its model: shared text of help and docs.
#pragma once

namespace acp::cli {

inline constexpr const char* model_order =
    "--model, ACP_MODEL, the project's file, your file, a provider with a key or one that needs "
    "none, a model server found on this machine. Without any of them, offline stands in for acp "
    "chat and editors; acp run takes it only by its name (--model offline)";

// Part of a report: there is no model, and `offline` is used instead.
inline constexpr const char* stand_in =
    "offline stands in for 'acp chat' and editors; 'acp run' takes it only by its name "
    "(--model offline)";

}  // namespace acp::cli
