// libcurl, loaded when it is first needed. With all that it brings along (TLS, Kerberos, LDAP:
// thirty libraries) it takes four times as long to load as a whole program that does without.
#pragma once

#include <curl/curl.h>

namespace acp::http {

// The functions that we use: curl().easy_init is curl_easy_init.
#define ACP_CURL_FUNCTIONS(X) \
  X(easy_cleanup)             \
  X(easy_getinfo)             \
  X(easy_init)                \
  X(easy_pause)               \
  X(easy_reset)               \
  X(easy_setopt)              \
  X(easy_strerror)            \
  X(free)                     \
  X(global_init)              \
  X(multi_add_handle)         \
  X(multi_cleanup)            \
  X(multi_info_read)          \
  X(multi_init)               \
  X(multi_perform)            \
  X(multi_poll)               \
  X(multi_remove_handle)      \
  X(multi_wakeup)             \
  X(slist_append)             \
  X(slist_free_all)           \
  X(url)                      \
  X(url_cleanup)              \
  X(url_get)                  \
  X(url_set)

struct Curl {
#define ACP_CURL_MEMBER(name) decltype(&curl_##name) name;
  ACP_CURL_FUNCTIONS(ACP_CURL_MEMBER)
#undef ACP_CURL_MEMBER
};

// Throws LocalFailure where libcurl is missing. May be called by several threads.
const Curl& curl();

}  // namespace acp::http
