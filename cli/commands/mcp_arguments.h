// Arguments of tools and prompts, as one types them: a JSON object, or name=value.
#pragma once

#include <string>
#include <vector>

#include "acp/json/json.h"
#include "cli/bad_usage.h"

namespace acp::cli {

// Values are read as the schema of the tool's input says. Throws BadUsage for what it does not
// take, and for what it wants and does not get.
Json tool_arguments(JsonView input_schema, const std::vector<std::string>& words);
// Of a prompt all values are text.
Json prompt_arguments(const std::vector<std::string>& words);
// "message:string count?:number": what a tool takes, `?` after what it can do without.
std::string describe_arguments(JsonView input_schema);

}  // namespace acp::cli
