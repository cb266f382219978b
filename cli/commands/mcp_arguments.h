// Arguments of tools and prompts, as one types them: a JSON object, or name=value.
#pragma once

#include <string>
#include <vector>

#include "acp/json/json.h"
#include "cli/bad_usage.h"

namespace acp::cli {

// Converts arguments by the schema of the tool's input. Throws BadUsage for unknown arguments,
// invalid values and missing ones.
Json tool_arguments(JsonView input_schema, const std::vector<std::string>& words);
// Arguments of a prompt, whose values are all text.
Json prompt_arguments(const std::vector<std::string>& words);
// The arguments of a tool: "message:string count?:number", with `?` after optional ones.
std::string describe_arguments(JsonView input_schema);

}  // namespace acp::cli
