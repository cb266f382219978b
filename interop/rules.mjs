// What must hold for every message of ours, whatever the scenario.
import { isAnswer } from "./wire.mjs";

const isRequest = ({ message }) => "method" in message && "id" in message;

// Every request that either side got has exactly one answer. (What is still open when the connection
// ends has none.)
function answers(entries, ours) {
  const problems = [];
  for (const request of entries.filter((entry) => entry.from !== ours && isRequest(entry))) {
    const count = entries.filter((e) => e.from === ours && isAnswer(e.message, request)).length;
    if (count !== 1) problems.push(`${count} answers to ${JSON.stringify(request.message)}`);
  }
  return problems;
}

// What our side writes fits the schema, params and results alike. (But for what a test made wrong on
// purpose: that was refused.)
function shapes(entries, ours, sdk, byMethod) {
  const problems = [];
  const check = (type, value, what) => {
    if (type && !sdk.schemaAccepts(type, value))
      problems.push(`${what} is no ${type}: ${JSON.stringify(value)}`);
  };
  for (const { from, message } of entries) {
    if (from !== ours) continue;
    if ("method" in message) {
      const isRefused = (e) => isAnswer(e.message, { message }) && e.message.error?.code === -32602;
      // A turn may have a hundred thousand updates: they have no answers to look for.
      if ("id" in message && entries.some(isRefused)) continue;
      const kind = "id" in message ? "Request" : "Notification";
      check(byMethod.get(`${message.method} ${kind}`), message.params, message.method);
    } else if ("result" in message) {
      const request = entries.find((e) => e.from !== ours && isRequest(e) && isAnswer(message, e));
      check(
        byMethod.get(`${request?.message.method} Response`),
        message.result,
        request?.message.method,
      );
    } else {
      check("Error", message.error, "an error");
    }
  }
  return problems;
}

// Updates of a turn stand between its prompt and its answer, those of a replay before its answer. Over
// HTTP the answer to a load comes by another stream than the replay, which is over when the session's
// own stream has brought the next answer.
export function orderOf(entries, overHttp = false) {
  const problems = [];
  const busy = new Map(); // session → requests that are open
  const opens = ["session/prompt", "session/load"];
  const between = ["available_commands_update", "notice"]; // may come at any time
  const open = [];
  const loaded = new Set(); // sessions whose replay may go on
  for (const entry of entries) {
    const { from, message } = entry;
    if (from === "client" && "id" in message && loaded.has(message.params?.sessionId)) {
      open.push(entry);
    }
    if (from === "client" && opens.includes(message.method)) {
      if (!open.includes(entry)) open.push(entry);
      busy.set(message.params.sessionId, (busy.get(message.params.sessionId) ?? 0) + 1);
    } else if (from === "agent" && !("method" in message)) {
      const at = open.findIndex((request) => isAnswer(message, request));
      if (at < 0) continue;
      const [{ message: request }] = open.splice(at, 1);
      const { sessionId } = request.params;
      const end = () => busy.set(sessionId, busy.get(sessionId) - 1);
      if (loaded.delete(sessionId)) end();
      if (overHttp && request.method === "session/load" && "result" in message) loaded.add(sessionId);
      else if (opens.includes(request.method)) end();
    } else if (from === "agent" && message.method === "session/update") {
      const { sessionId, update } = message.params;
      if (!busy.get(sessionId) && !between.includes(update.sessionUpdate))
        problems.push(`an update outside of a turn: ${JSON.stringify(update)}`);
    }
  }
  return problems;
}

// Answers and shapes. `ours`: the side that our library speaks for.
export function shapesOf({ entries }, ours, sdk) {
  const byMethod = new Map();
  for (const [name, { "x-method": method }] of Object.entries(sdk.defs)) {
    const kind = name.match(/(Request|Response|Notification)$/)?.[0];
    if (method && kind) byMethod.set(`${method} ${kind}`, name);
  }
  return [...answers(entries, ours), ...shapes(entries, ours, sdk, byMethod)];
}

export function problemsOf({ entries, overHttp }, ours, sdk) {
  const problems = shapesOf({ entries }, ours, sdk);
  return ours === "agent" ? [...problems, ...orderOf(entries, overHttp)] : problems;
}
