// The constant parts of a page.
#pragma once

namespace acp::check {

// The page up to the title; from there to the data; after the data.
extern const char* const log_page_head;
extern const char* const log_page_style;
extern const char* const log_page_script;

}  // namespace acp::check
