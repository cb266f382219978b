// Converts the content of a prompt for the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "coder/model/model.h"

namespace acp::coder {

// Leaves out content for the user alone. Links become a line with their address, which the model
// can read. Throws Error -32602, which names the block, for what the model cannot take.
std::vector<Part> prompt_parts(const std::vector<v1::ContentBlock>& prompt, const ModelInfo& model);

// The file that a file: URI names on this machine. Nothing for another machine's, for what is not
// escaped as it should be, and for any other URI.
std::optional<std::string> path_of_uri(std::string_view uri);

// For a conversation that continues with a model of fewer kinds of media: replaces media that it
// cannot take by a description.
void leave_out_media(std::vector<Message>& messages, const ModelInfo& model);

// Adds a tool's result as text and media; media that the model cannot take is described in the
// text.
void add_content(const v1::ContentBlock& block, const ModelInfo& model, std::string& text,
                 std::vector<MediaPart>& media);

}  // namespace acp::coder
