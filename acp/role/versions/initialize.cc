#include "acp/role/versions/initialize.h"

#include "acp/role/versions/capabilities.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

template <class To>
To implementation(auto&& from) {
  To to;
  to.name = std::move(from.name);
  to.title = std::move(from.title);
  to.version = std::move(from.version);
  to._meta = std::move(from._meta);
  return to;
}

std::string& id_of(v1::AuthMethodAgent& method) { return method.id; }
std::string& id_of(v1::AuthMethodTerminal& method) { return method.id; }
std::string& id_of(auto& method) { return method.methodId; }

template <class To>
To method(auto& from) {
  To to;
  id_of(to) = std::move(id_of(from));
  to.name = std::move(from.name);
  to.description = std::move(from.description);
  if constexpr (requires { from.args; }) to.args = std::move(from.args);
  to._meta = std::move(from._meta);
  return to;
}

Json renamed(const Json& object, std::string_view old_name, std::string_view name) {
  Json to = Json::object();
  for (const auto& [key, value] : object.members())
    to.set(key == old_name ? name : std::string_view(key), Json(value));
  return to;
}

}  // namespace

v2::Implementation to_v2(Nullable<v1::Implementation> info) {
  if (info) return implementation<v2::Implementation>(std::move(*info));
  v2::Implementation unknown;
  unknown.name = unknown.version = "unknown";
  return unknown;
}

v1::Implementation to_v1(v2::Implementation info) {
  return implementation<v1::Implementation>(std::move(info));
}

std::optional<v2::AuthMethod> to_v2(v1::AuthMethod from) {
  using Method = std::optional<v2::AuthMethod>;
  return std::visit(Overloaded{[](v1::AuthMethodAgent& agent) -> Method {
                                 return method<v2::AuthMethodAgent>(agent);
                               },
                               [](v1::AuthMethodTerminal& terminal) -> Method {
                                 auto to = method<v2::AuthMethodTerminal>(terminal);
                                 for (auto& [name, value] : terminal.env) {
                                   v2::EnvVariable& variable = to.env.emplace_back();
                                   variable.name = name;
                                   variable.value = std::move(value);
                                 }
                                 return to;
                               },
                               // Version 1 has no tag for an agent's own method, but may give it.
                               [&](Unknown& unknown) -> Method {
                                 unknown.payload = renamed(unknown.payload, "id", "methodId");
                                 return recode<v2::AuthMethod>(from);
                               }},
                    from);
}

v1::AuthMethod to_v1(v2::AuthMethod from) {
  using Method = v1::AuthMethod;
  return std::visit(Overloaded{[](v2::AuthMethodAgent& agent) -> Method {
                                 return method<v1::AuthMethodAgent>(agent);
                               },
                               [](v2::AuthMethodTerminal& terminal) -> Method {
                                 auto to = method<v1::AuthMethodTerminal>(terminal);
                                 for (v2::EnvVariable& variable : terminal.env)
                                   to.env[variable.name] = std::move(variable.value);
                                 return to;
                               },
                               [&](Unknown& unknown) -> Method {
                                 unknown.payload = renamed(unknown.payload, "methodId", "id");
                                 return std::move(unknown);
                               }},
                    from);
}

std::vector<v2::AuthMethod> to_v2(std::vector<v1::AuthMethod> methods) {
  return mapped_list<v2::AuthMethod>(std::move(methods),
                                     [](v1::AuthMethod&& one) { return to_v2(std::move(one)); });
}

std::vector<v1::AuthMethod> to_v1(std::vector<v2::AuthMethod> methods) {
  return mapped_list<v1::AuthMethod>(std::move(methods),
                                     [](v2::AuthMethod&& one) { return to_v1(std::move(one)); });
}

v2::InitializeRequest to_v2(v1::InitializeRequest request) {
  v2::InitializeRequest to;
  to.protocolVersion = 2;
  to.info = to_v2(std::move(request.clientInfo));
  to.capabilities = to_v2(std::move(request.clientCapabilities));
  to._meta = std::move(request._meta);
  return to;
}

v1::InitializeRequest to_v1(v2::InitializeRequest request) {
  v1::InitializeRequest to;
  to.protocolVersion = 1;
  to.clientInfo = to_v1(std::move(request.info));
  to.clientCapabilities = to_v1(std::move(request.capabilities));
  to._meta = std::move(request._meta);
  return to;
}

v2::InitializeResponse to_v2(v1::InitializeResponse response) {
  v2::InitializeResponse to;
  to.protocolVersion = 2;
  to.info = to_v2(std::move(response.agentInfo));
  to.capabilities = to_v2(std::move(response.agentCapabilities));
  to.authMethods = to_v2(std::move(response.authMethods));
  to._meta = std::move(response._meta);
  return to;
}

v1::InitializeResponse to_v1(v2::InitializeResponse response) {
  v1::InitializeResponse to;
  to.protocolVersion = 1;
  to.agentInfo = to_v1(std::move(response.info));
  to.agentCapabilities = to_v1(std::move(response.capabilities), !response.authMethods.empty());
  to.authMethods = to_v1(std::move(response.authMethods));
  to._meta = std::move(response._meta);
  return to;
}

std::string params_for_both(const v1::InitializeRequest& request) {
  Json params = Json::from_valid(json::encode(to_v2(request)));
  const Json old = Json::from_valid(json::encode(request));
  for (const auto& [name, value] : old.members())
    if (name == "clientInfo" || name == "clientCapabilities") params.set(name, Json(value));
  return params.text();
}

std::optional<v1::InitializeRequest> read_as_v1(const Json& params) {
  auto request = recode<v1::InitializeRequest>(params);
  if (!request) return std::nullopt;
  if (params["clientInfo"].absent())
    if (auto info = recode<v2::Implementation>(Json(params["info"])))
      request->clientInfo = to_v1(std::move(*info));
  if (params["clientCapabilities"].absent())
    if (auto capabilities = recode<v2::ClientCapabilities>(Json(params["capabilities"])))
      request->clientCapabilities = to_v1(std::move(*capabilities));
  return request;
}

}  // namespace acp::detail::versions
