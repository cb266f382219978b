#include "acp/role/versions/capabilities.h"

#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

template <class Marker>
void mark(Nullable<Marker>& marker, bool there) {
  if (there) marker.emplace();
}

// A marker that both versions have; null is no marker.
template <class Marker, class From>
void mark_same(Nullable<Marker>& marker, const Nullable<From>& from) {
  if (from) marker = recoded<Marker>(*from);
}

template <class To, class From>
void mark_sessions(To& to, const From& from) {
  mark_same(to.delete_, from.delete_);
  mark_same(to.additionalDirectories, from.additionalDirectories);
  mark_same(to.systemPrompt, from.systemPrompt);
  mark_same(to.fork, from.fork);
  mark_same(to.archive, from.archive);
  mark_same(to.status, from.status);
  mark_same(to.title, from.title);
}

}  // namespace

v2::AgentCapabilities to_v2(v1::AgentCapabilities from) {
  v2::AgentCapabilities to;
  v2::SessionCapabilities& session = to.session.emplace();
  mark_sessions(session, from.sessionCapabilities);
  session._meta = std::move(from.sessionCapabilities._meta);
  v2::PromptCapabilities& prompt = session.prompt.emplace();
  mark(prompt.image, from.promptCapabilities.image);
  mark(prompt.audio, from.promptCapabilities.audio);
  mark(prompt.embeddedContext, from.promptCapabilities.embeddedContext);
  prompt._meta = std::move(from.promptCapabilities._meta);
  v2::McpCapabilities& mcp = session.mcp.emplace();
  mark(mcp.stdio, true);
  mark(mcp.http, from.mcpCapabilities.http);
  mark(mcp.acp, from.mcpCapabilities.acp);
  mcp._meta = std::move(from.mcpCapabilities._meta);
  v2::AgentAuthCapabilities& auth = to.auth.emplace();
  mark_same(auth.status, from.auth.status);
  auth._meta = std::move(from.auth._meta);
  mark_same(to.providers, from.providers);
  to._meta = std::move(from._meta);
  return to;
}

v1::AgentCapabilities to_v1(v2::AgentCapabilities from, bool can_log_out) {
  v1::AgentCapabilities to;
  if (from.session) {
    v2::SessionCapabilities& session = *from.session;
    to.loadSession = true;
    mark(to.sessionCapabilities.list, true);
    mark(to.sessionCapabilities.resume, true);
    mark(to.sessionCapabilities.close, true);
    mark_sessions(to.sessionCapabilities, session);
    to.sessionCapabilities._meta = std::move(session._meta);
    if (session.prompt) {
      to.promptCapabilities.image = session.prompt->image.has_value();
      to.promptCapabilities.audio = session.prompt->audio.has_value();
      to.promptCapabilities.embeddedContext = session.prompt->embeddedContext.has_value();
      to.promptCapabilities._meta = std::move(session.prompt->_meta);
    }
    if (session.mcp) {
      to.mcpCapabilities.http = session.mcp->http.has_value();
      to.mcpCapabilities.acp = session.mcp->acp.has_value();
      to.mcpCapabilities._meta = std::move(session.mcp->_meta);
    }
  }
  if (from.auth) {
    mark_same(to.auth.status, from.auth->status);
    to.auth._meta = std::move(from.auth->_meta);
  }
  mark(to.auth.logout, can_log_out);
  mark_same(to.providers, from.providers);
  to._meta = std::move(from._meta);
  return to;
}

v2::ClientCapabilities to_v2(v1::ClientCapabilities from) {
  v2::ClientCapabilities to;
  if (from.auth.terminal || !from.auth._meta.absent()) {
    v2::ClientAuthCapabilities& auth = to.auth.emplace();
    mark(auth.terminal, from.auth.terminal);
    auth._meta = std::move(from.auth._meta);
  }
  mark_same(to.elicitation, from.elicitation);
  to._meta = std::move(from._meta);
  return to;
}

v1::ClientCapabilities to_v1(v2::ClientCapabilities from) {
  v1::ClientCapabilities to;
  v1::ClientSessionCapabilities& session = to.session.emplace();
  mark(session.compaction, true);
  mark(session.notices, true);
  session.configOptions.emplace().boolean.emplace();
  mark(to.subagents, true);
  mark(to.plan, true);
  if (from.auth) {
    to.auth.terminal = from.auth->terminal.has_value();
    to.auth._meta = std::move(from.auth->_meta);
  }
  mark_same(to.elicitation, from.elicitation);
  to._meta = std::move(from._meta);
  return to;
}

}  // namespace acp::detail::versions
