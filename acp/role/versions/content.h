// Content blocks, diffs and the content of tool calls, in both versions.
//
// Where the versions differ:
// - A block, or a content, with an unknown tag stays unknown, with its payload. One whose tag only
//   version 2 knows becomes what it is there; with a bad payload it is left out.
// - Version 2 demands URIs: another text becomes one (as_uri()). A priority, size or line that it
//   does not allow is left out.
// - A link's icons are kept in its `_meta` in version 1.
// - A version 2 diff has paths and a patch, not whole texts: each changed file becomes a version 1
//   diff with the texts of the patch's hunks. What else is known of the change is kept in `_meta`.
//   A change without a readable patch becomes a text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// The text itself if it is a URI; `file://` before an absolute path, `urn:text:` before others.
// What a URI cannot have is escaped.
std::string as_uri(std::string text);

std::optional<v2::ContentBlock> to_v2(v1::ContentBlock block);
std::optional<v1::ContentBlock> to_v1(v2::ContentBlock block);
std::vector<v2::ContentBlock> to_v2(std::vector<v1::ContentBlock> blocks);
std::vector<v1::ContentBlock> to_v1(std::vector<v2::ContentBlock> blocks);

v2::Diff to_v2(const v1::Diff& diff);
// A diff or a text for each changed file.
std::vector<v1::ToolCallContent> to_v1(v2::Diff diff);

std::optional<v2::ToolCallContent> to_v2(const v1::ToolCallContent& content);
std::vector<v1::ToolCallContent> to_v1(v2::ToolCallContent content);
std::vector<v2::ToolCallContent> to_v2(const std::vector<v1::ToolCallContent>& contents);
std::vector<v1::ToolCallContent> to_v1(std::vector<v2::ToolCallContent> contents);

}  // namespace acp::detail::versions
