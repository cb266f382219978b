// Which model the built-in agent takes: the same words in help and docs.
#pragma once

namespace acp::cli {

inline constexpr const char* model_order =
    "--model, ACP_MODEL, the project's file, your file, a provider with a key or one that needs "
    "none, a model server found on this machine, offline";

}  // namespace acp::cli
