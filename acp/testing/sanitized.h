// ACP_SANITIZED, where a sanitizer makes programs slow and holds freed memory back.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ACP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ACP_SANITIZED 1
#endif
#endif
