#include "acp/role/versions/mcp_server.h"

#include <algorithm>

#include "acp/role/versions/content.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

template <class To, class From>
std::vector<To> named_values(std::vector<From>&& from) {
  return mapped_list<To>(std::move(from), [](From&& old) {
    To to;
    to.name = std::move(old.name);
    to.value = std::move(old.value);
    to._meta = std::move(old._meta);
    return to;
  });
}

template <class To, class Header>
To http(auto& from) {
  To to;
  to.name = std::move(from.name);
  to.url = std::move(from.url);
  to.headers = named_values<Header>(std::move(from.headers));
  to._meta = std::move(from._meta);
  return to;
}

template <class To>
To over_acp(auto& from) {
  To to;
  to.name = std::move(from.name);
  to.serverId = std::move(from.serverId);
  to._meta = std::move(from._meta);
  return to;
}

template <class To, class Variable>
To stdio(auto& from) {
  To to;
  to.name = std::move(from.name);
  to.command = std::move(from.command);
  to.args = std::move(from.args);
  to.env = named_values<Variable>(std::move(from.env));
  to._meta = std::move(from._meta);
  return to;
}

}  // namespace

std::optional<v2::McpServer> to_v2(v1::McpServer server) {
  using Server = std::optional<v2::McpServer>;
  return std::visit(
      Overloaded{[](v1::McpServerHttp& from) -> Server {
                   auto to = http<v2::McpServerHttp, v2::HttpHeader>(from);
                   to.url = as_uri(std::move(to.url));
                   return to;
                 },
                 [](v1::McpServerSse&) -> Server { return std::nullopt; },
                 [](v1::McpServerAcp& from) -> Server { return over_acp<v2::McpServerAcp>(from); },
                 [](v1::McpServerStdio& from) -> Server {
                   return stdio<v2::McpServerStdio, v2::EnvVariable>(from);
                 },
                 [&](Unknown&) -> Server { return recode<v2::McpServer>(server); }},
      server);
}

v1::McpServer to_v1(v2::McpServer server) {
  using Server = v1::McpServer;
  return std::visit(
      Overloaded{[](v2::McpServerHttp& from) -> Server {
                   return http<v1::McpServerHttp, v1::HttpHeader>(from);
                 },
                 [](v2::McpServerAcp& from) -> Server { return over_acp<v1::McpServerAcp>(from); },
                 [](v2::McpServerStdio& from) -> Server {
                   return stdio<v1::McpServerStdio, v1::EnvVariable>(from);
                 },
                 [](Unknown& unknown) -> Server { return std::move(unknown); }},
      server);
}

const v1::McpServer* inexpressible(const std::vector<v1::McpServer>& servers) {
  const auto found = std::find_if(servers.begin(), servers.end(), [](const auto& server) {
    return std::holds_alternative<v1::McpServerSse>(server);
  });
  return found == servers.end() ? nullptr : &*found;
}

std::vector<v2::McpServer> to_v2(std::vector<v1::McpServer> servers) {
  return mapped_list<v2::McpServer>(
      std::move(servers), [](v1::McpServer&& server) { return to_v2(std::move(server)); });
}

std::vector<v1::McpServer> to_v1(std::vector<v2::McpServer> servers) {
  return mapped_list<v1::McpServer>(
      std::move(servers), [](v2::McpServer&& server) { return to_v1(std::move(server)); });
}

}  // namespace acp::detail::versions
