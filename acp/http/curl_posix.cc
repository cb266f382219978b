#include <dlfcn.h>

#include <string>

#include "acp/error.h"
#include "acp/http/curl.h"

namespace acp::http {

namespace {

// The binary interface has had this number since 2006.
constexpr const char* library_name = "libcurl.so.4";

Curl load() {
  // Never closed: its threads and its handlers may outlive everything of ours.
  void* const library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  const auto fail = [] {
    const char* const why = dlerror();
    throw LocalFailure("libcurl, which speaks HTTP for us, cannot be loaded: " +
                       std::string(why != nullptr ? why : library_name));
  };
  if (library == nullptr) fail();
  Curl loaded;
#define ACP_CURL_LOAD(name)                                                             \
  loaded.name = reinterpret_cast<decltype(loaded.name)>(dlsym(library, "curl_" #name)); \
  if (loaded.name == nullptr) fail();
  ACP_CURL_FUNCTIONS(ACP_CURL_LOAD)
#undef ACP_CURL_LOAD
  if (loaded.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw LocalFailure("libcurl does not start");
  return loaded;
}

}  // namespace

const Curl& curl() {
  static const Curl loaded = load();
  return loaded;
}

}  // namespace acp::http
