// Converts typed text into the protocol's blocks: text, and the files that it names by @path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"

namespace acp::chat {

struct PromptContent {
  std::vector<v1::ContentBlock> blocks = {};
  std::vector<std::string> notes = {};  // what was not done as one might think, and why
};

// @path, or @"a path": embeds an existing file if the agent takes that, else links it. Other words
// stay text.
PromptContent prompt_content(const std::string& text, const std::string& cwd,
                             const v1::PromptCapabilities& can);

// Reads a file as an image or as audio. Throws std::runtime_error.
v1::ContentBlock media_block(const std::string& path, const std::string& cwd, bool image,
                             const v1::PromptCapabilities& can);

std::string base64(std::string_view bytes);

}  // namespace acp::chat
