#include "gateway/not_reached.h"

namespace acp::gateway {

std::string not_reached(const std::string& url, const std::string& reason,
                        const std::string& token_source) {
  if (reason.starts_with("HTTP 401")) {
    if (token_source.empty())
      return url +
             " asks for a token (HTTP 401), and there is none: give --token-file FILE, or set the "
             "variable ACP_TOKEN. 'acp serve' says at its start which file holds its token";
    return url + " does not take the token of " + token_source +
           " (HTTP 401). 'acp serve' says at its start which file holds its token";
  }
  if (reason.starts_with("HTTP 404"))
    return "there is no ACP at " + url + " (HTTP 404): the path of 'acp serve' is /acp";
  // libcurl's words, and OpenSSL's.
  for (const char* const untrusted : {"SSL peer certificate", "certificate verify failed"})
    if (reason.find(untrusted) != std::string::npos)
      return url +
             ": the certificate is signed by nobody whom the system trusts, or is of another name; "
             "--ca-file FILE says whom to trust (" +
             reason + ")";
  return reason.find(url) != std::string::npos ? reason : url + ": " + reason;
}

}  // namespace acp::gateway
