// Boost's parts that are not templates: compiled here, once.
#include "acp/remote/openssl.h"  // before Asio

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
