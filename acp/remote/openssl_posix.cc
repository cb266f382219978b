#include "acp/remote/openssl.h"

#include <dlfcn.h>

#include <string>

#include "acp/error.h"

namespace acp::remote {

namespace {

#define ACP_TEXT_OF(number) #number
#define ACP_TEXT(number) ACP_TEXT_OF(number)
// The binary interface that these headers describe.
constexpr const char* library_name = "libssl.so." ACP_TEXT(OPENSSL_SHLIB_VERSION);
#undef ACP_TEXT
#undef ACP_TEXT_OF

[[noreturn]] void fail() {
  const char* const why = dlerror();
  throw LocalFailure("OpenSSL, which TLS needs, cannot be loaded: " +
                     std::string(why != nullptr ? why : library_name));
}

void* load() {
  // Never closed: sockets may outlive everything else of ours.
  void* const library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) fail();
  return library;
}

}  // namespace

void* openssl_symbol(const char* name) {
  static void* const library = load();
  void* const symbol = dlsym(library, name);  // libcrypto, which libssl needs, is searched as well
  if (symbol == nullptr) fail();
  return symbol;
}

}  // namespace acp::remote
