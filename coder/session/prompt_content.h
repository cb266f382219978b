// What a prompt brings, as the model gets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "coder/model/model.h"

namespace acp::coder {

// What is meant for the user alone is left out. Links become a line that names them: the model can
// read what they name. Throws Error -32602, which names the block, for what the model cannot take.
std::vector<Part> prompt_parts(const std::vector<v1::ContentBlock>& prompt, const ModelInfo& model);

// The file that a file: URI names on this machine. Nothing for another machine's, for what is not
// escaped as it should be, and for any other URI.
std::optional<std::string> path_of_uri(std::string_view uri);

// A conversation goes on with a model that takes less than the one before: what it cannot take is
// named in place of being sent.
void leave_out_media(std::vector<Message>& messages, const ModelInfo& model);

// What a tool gave, as text and media; media that the model cannot take is said in the text.
void add_content(const v1::ContentBlock& block, const ModelInfo& model, std::string& text,
                 std::vector<MediaPart>& media);

}  // namespace acp::coder
