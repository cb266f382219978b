// The requests that an agent answers, one line each: where a method is added. agent.h declares its
// setter and says what it is for; all else follows from the line.
#pragma once

// ROW(method, name, Type, Context, way, capability)
//   name        the handler in Agent::Config; its setter is Agent::on_<name>
//   Type        v1::<Type>Request and v1::<Type>Response
//   Context     what the handler gets besides the request
//   way         `role`: AgentRole::<name>() has something to do, with a handler or without;
//               `installed`: the same, if there is a handler; `passed`: the handler does it all
//   capability  what is advertised if there is a handler: a member of AgentCapabilities, or none
// JOINT is a ROW whose setter takes several handlers, and is written by hand.
#define ACP_AGENT_METHODS(ROW, JOINT)                                                              \
  ROW("session/new", new_session, NewSession, SessionContext, role, none)                          \
  ROW("session/load", load_session, LoadSession, SessionContext, installed, loadSession)           \
  ROW("session/resume", resume_session, ResumeSession, SessionContext, installed,                  \
      sessionCapabilities.resume)                                                                  \
  ROW("session/fork", fork_session, ForkSession, SessionContext, installed,                        \
      sessionCapabilities.fork)                                                                    \
  ROW("session/list", list_sessions, ListSessions, Context, passed, sessionCapabilities.list)      \
  ROW("session/close", close_session, CloseSession, Context, role, none)                           \
  ROW("session/delete", delete_session, DeleteSession, Context, installed,                         \
      sessionCapabilities.delete_)                                                                 \
  JOINT("session/archive", archive_session, ArchiveSession, Context, passed,                       \
        sessionCapabilities.archive)                                                               \
  JOINT("session/unarchive", unarchive_session, UnarchiveSession, Context, passed, none)           \
  ROW("session/status", session_status, SessionStatus, Context, passed,                            \
      sessionCapabilities.status)                                                                  \
  ROW("session/set_title", set_title, SetSessionTitle, Context, passed, sessionCapabilities.title) \
  ROW("session/set_mode", set_mode, SetSessionMode, SessionContext, role, none)                    \
  ROW("session/set_config_option", set_config_option, SetSessionConfigOption, SessionContext,      \
      role, none)                                                                                  \
  ROW("authenticate", authenticate, Authenticate, Context, role, none)                             \
  ROW("logout", logout, Logout, Context, installed, auth.logout)                                   \
  ROW("auth/status", auth_status, AuthStatus, Context, passed, auth.status)                        \
  JOINT("providers/list", list_providers, ListProviders, Context, passed, providers)               \
  JOINT("providers/set", set_provider, SetProvider, Context, passed, none)                         \
  JOINT("providers/disable", disable_provider, DisableProvider, Context, passed, none)
