// What a prompt brings, as the model gets it.
#pragma once

#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "coder/model/model.h"

namespace acp::coder {

// What is meant for the user alone is left out. Links become a line that names them: the model can
// read what they name. Throws Error -32602, which names the block, for what the model cannot take.
std::vector<Part> prompt_parts(const std::vector<v1::ContentBlock>& prompt, const ModelInfo& model);

// What a tool gave, as text and media; media that the model cannot take is said in the text.
void add_content(const v1::ContentBlock& block, const ModelInfo& model, std::string& text,
                 std::vector<MediaPart>& media);

}  // namespace acp::coder
