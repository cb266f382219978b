// How the table reads version 2: what came of each message, what it has in it, and in which phase of
// a turn something was cancelled.
const handlerOf = ({ from }) => (from === "client" ? "agent" : "client");

function resultOf({ message: { method, params } }, result) {
  if (method === "initialize") return `version ${result.protocolVersion}`;
  if (method === "session/prompt") return "inserted";
  if (method === "session/resume") return params.replayFrom ? "with a replay" : "without one";
  if (method === "session/list") return result.nextCursor == null ? "ok" : "page";
  if (method === "session/request_permission") {
    const chosen = params.options.find(({ optionId }) => optionId === result.outcome.optionId);
    return chosen ? chosen.kind : result.outcome.outcome;
  }
  if (method === "elicitation/create") return `${params.mode} ${result.action}`;
  if (method === "session/set_config_option") {
    const option = result.configOptions.find(({ configId }) => configId === params.configId);
    return option?.category === "mode" ? "mode" : params.type;
  }
  return "ok";
}

const updateOf = ({ method, params }) =>
  method === "session/update" ? params.update.sessionUpdate : "sent";

// ---- what is in a message

const kindOf = (block) =>
  block.type !== "resource"
    ? block.type
    : "text" in block.resource
      ? "resource text"
      : "resource blob";

function stateOf({ state, stopReason, error }) {
  if (state !== "idle" || !stopReason) return state;
  return stopReason === "error" ? `idle error ${error?.code}` : `idle ${stopReason}`;
}

function* partsOfUpdate(update) {
  const { sessionUpdate } = update;
  if (sessionUpdate === "state_update") {
    yield ["state_update → client", stateOf(update)];
    for (const { type } of update.background ?? []) yield ["background work → client", type];
  }
  if (sessionUpdate === "agent_message_chunk") yield ["content → client", kindOf(update.content)];
  if (sessionUpdate === "tool_call_update" && update.status)
    yield ["tool call status → client", update.status];
  if (/^(tool_call|terminal)_update$/.test(sessionUpdate) && update.capabilities?.cancel)
    yield ["can be cancelled → client", sessionUpdate];
  const added = sessionUpdate === "tool_call_content_chunk" ? [update.content] : [];
  const pieces = sessionUpdate === "tool_call_update" ? (update.content ?? []) : added;
  for (const piece of pieces) {
    yield ["tool call content → client", piece.type];
    for (const { operation } of piece.changes ?? []) yield ["diff → client", operation];
  }
}

function* partsOf(entry) {
  const { method, params } = entry.message;
  if (method === "session/update") yield* partsOfUpdate(params.update);
  if (method === "session/prompt")
    for (const block of params.prompt ?? []) yield [`content → ${handlerOf(entry)}`, kindOf(block)];
  if (method === "session/request_permission")
    yield ["permission about → client", params.subject?.type ?? "nothing"];
  if (method === "session/new")
    for (const { type } of params.mcpServers ?? []) yield ["MCP server → agent", type];
}

// ---- what happens between them

// What goes on in a session, as far as the wire says.
class Session {
  state = "idle";
  asks = new Set(); // requests of the agent that are open, of prompts that wait
  get phases() {
    if (this.asks.size > 0) return [...this.asks].map((entry) => `in ${entry.message.method}`);
    return [this.state === "idle" ? "while nothing runs" : "at work"];
  }
}

function* eventsOf(entries) {
  const sessions = new Map();
  const of = (id) => {
    if (!sessions.has(id)) sessions.set(id, new Session());
    return sessions.get(id);
  };
  const open = new Map(); // the requests of each side, by their ids
  for (const entry of entries) {
    const { from, message } = entry;
    const { method, params, id } = message;
    if (method === undefined) {
      const asked = open.get(`${handlerOf(entry)} ${JSON.stringify(id)}`);
      for (const session of sessions.values()) session.asks.delete(asked);
      const of_nothing = id === null ? " (id null)" : "";
      if (message.error) yield [`errors, said by the ${from}`, `${message.error.code}${of_nothing}`];
    } else if (id !== undefined) {
      open.set(`${from} ${JSON.stringify(id)}`, entry);
      // An extension may belong to any turn.
      if (from === "agent")
        for (const session of params?.sessionId ? [of(params.sessionId)] : sessions.values())
          session.asks.add(entry);
      else if (method === "session/prompt") of(params.sessionId).asks.add(entry);
    } else if (method === "session/update" && params.update.sessionUpdate === "state_update") {
      of(params.sessionId).state = params.update.state;
    }
    if (method === "session/cancel" || method === "session/close")
      for (const phase of of(params.sessionId).phases)
        yield [`${method}, when`, phase === "in session/prompt" ? "a prompt waits" : phase];
  }
}

export const VERSION_2 = { resultOf, updateOf, partsOf, eventsOf };
