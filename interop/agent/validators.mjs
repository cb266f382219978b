// What must hold for everything that passes, whatever the scenario.
import { isAbsolute } from "node:path";

import { orderOf, shapesOf } from "../rules.mjs";
import { isAnswer } from "../wire.mjs";

const CAPABILITY = {
  "fs/read_text_file": ({ fs }) => fs?.readTextFile,
  "fs/write_text_file": ({ fs }) => fs?.writeTextFile,
  "terminal/create": ({ terminal }) => terminal,
  "terminal/output": ({ terminal }) => terminal,
  "terminal/wait_for_exit": ({ terminal }) => terminal,
  "terminal/kill": ({ terminal }) => terminal,
  "terminal/release": ({ terminal }) => terminal,
  "session/request_permission": () => true,
  "session/update": () => true,
  "$/cancel_request": () => true,
};
const UPDATE_CAPABILITY = {
  notice: ({ session }) => session?.notices,
  compaction_update: ({ session }) => session?.compaction,
  compaction_summary_chunk: ({ session }) => session?.compaction,
};

function onlyAdvertised(entries, capabilities) {
  const problems = [];
  for (const { from, message } of entries) {
    if (from !== "agent" || message.method === undefined) continue;
    if (!CAPABILITY[message.method]?.(capabilities))
      problems.push(`${message.method} was not advertised`);
    const kind = message.params?.update?.sessionUpdate;
    if (kind in UPDATE_CAPABILITY && !UPDATE_CAPABILITY[kind](capabilities))
      problems.push(`an update ${kind} was not advertised`);
  }
  return problems;
}

// Paths are absolute, lines count from 1.
function places(entries) {
  const problems = [];
  const check = (path, what) => {
    if (!isAbsolute(path)) problems.push(`${what}: the path ${JSON.stringify(path)}`);
  };
  for (const { from, message } of entries) {
    if (from !== "agent" || message.method === undefined) continue;
    const { params } = message;
    const tool = params?.update ?? params?.toolCall;
    for (const { path, line } of tool?.locations ?? []) {
      check(path, "a location");
      if (line != null && line < 1) problems.push(`a location with the line ${line}`);
    }
    for (const { type, path } of Array.isArray(tool?.content) ? tool.content : [])
      if (type === "diff") check(path, "a diff");
    if (/^fs\//.test(message.method)) {
      check(params.path, message.method);
      if (params.line != null && params.line < 1)
        problems.push(`${message.method} with the line ${params.line}`);
    }
    if (message.method === "terminal/create" && params.cwd != null)
      check(params.cwd, message.method);
  }
  return problems;
}

const RANK = { pending: 0, in_progress: 1, completed: 2, failed: 2 };

// A tool call is announced, begins, ends, and is silent from then on; the prompt's answer finds none
// that is open. What load replays is as it was in the end.
class Calls {
  problems = [];
  #calls = new Map(); // "session/id" → status

  update(sessionId, { sessionUpdate, toolCallId, status }) {
    const key = `${sessionId}/${toolCallId}`;
    const before = this.#calls.get(key);
    if (sessionUpdate === "tool_call") {
      if (before !== undefined) this.problems.push(`a second tool_call ${toolCallId}`);
      if (RANK[status ?? "pending"] === 2)
        this.problems.push(`${toolCallId} was ${status} when it was announced`);
      this.#calls.set(key, status ?? "pending");
      return;
    }
    if (before === undefined) this.problems.push(`${toolCallId} was never announced`);
    else if (RANK[before] === 2) this.problems.push(`${toolCallId} goes on after ${before}`);
    else if (RANK[status] < RANK[before])
      this.problems.push(`${toolCallId} went from ${before} to ${status}`);
    else if (status === "completed" && before !== "in_progress")
      this.problems.push(`${toolCallId} is completed, but was never in_progress`);
    if (status) this.#calls.set(key, status);
  }

  asked(sessionId, { toolCallId }) {
    const status = this.#calls.get(`${sessionId}/${toolCallId}`);
    if (status !== "pending")
      this.problems.push(`permission was asked for ${toolCallId}, which is ${status}`);
  }

  answered(sessionId) {
    for (const [key, status] of this.#calls)
      if (key.startsWith(`${sessionId}/`) && RANK[status] < 2)
        this.problems.push(`${key} is ${status} after the turn's end`);
  }

  forget(sessionId) {
    for (const key of [...this.#calls.keys()])
      if (key.startsWith(`${sessionId}/`)) this.#calls.delete(key);
  }
}

function lifeOfCalls(entries) {
  const calls = new Calls();
  const open = []; // prompts and loads that wait for their answer
  const loading = (id) =>
    open.some(
      ({ message: { method, params } }) => method === "session/load" && params.sessionId === id,
    );
  for (const entry of entries) {
    const { from, message } = entry;
    const { method, params } = message;
    if (from === "client" && ["session/prompt", "session/load"].includes(method)) {
      open.push(entry);
    } else if (from === "agent" && method === "session/update") {
      if (/^tool_call/.test(params.update.sessionUpdate) && !loading(params.sessionId))
        calls.update(params.sessionId, params.update);
    } else if (from === "agent" && method === "session/request_permission") {
      calls.asked(params.sessionId, params.toolCall);
    } else if (from === "agent" && method === undefined) {
      const at = open.findIndex((request) => isAnswer(message, request));
      if (at < 0) continue;
      const [{ message: request }] = open.splice(at, 1);
      if (request.method === "session/prompt") calls.answered(request.params.sessionId);
      else calls.forget(request.params.sessionId);
    }
  }
  return calls.problems;
}

// A terminal is released, and before the turn is over.
function terminals(entries) {
  const problems = [];
  const open = new Map(); // terminal → session
  const known = new Set();
  const shown = new Set(); // stays on view when it is released
  const creating = new Map(); // request's id → session
  const prompts = new Map(); // request's id → session
  for (const { from, message } of entries) {
    const { method, params, id } = message;
    if (from === "client" && method === "session/prompt") prompts.set(id, params.sessionId);
    if (from === "agent" && method === "terminal/create") creating.set(id, params.sessionId);
    if (from === "agent" && method === "terminal/release") open.delete(params.terminalId);
    if (from === "client" && method === undefined && creating.has(id) && message.result) {
      open.set(message.result.terminalId, creating.get(id));
      known.add(message.result.terminalId);
    }
    if (from === "agent" && method === undefined && prompts.has(id))
      for (const [terminal, session] of open)
        if (session === prompts.get(id)) problems.push(`${terminal} outlives its turn`);
    if (from === "agent" && /^tool_call/.test(params?.update?.sessionUpdate))
      for (const { type, terminalId } of params.update.content ?? [])
        if (type === "terminal" && !known.has(terminalId))
          problems.push(`the terminal ${terminalId} is shown, but was never created`);
        else if (type === "terminal" && !shown.has(terminalId) && !open.has(terminalId))
          problems.push(`the terminal ${terminalId} is shown, but was released before that`);
        else if (type === "terminal") shown.add(terminalId);
  }
  return [...problems, ...[...open.keys()].map((each) => `${each} was never released`)];
}

// Nothing of the turn outside of it.
const OF_A_TURN = [
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "usage_update",
];

function withoutFreeUpdates(entries) {
  return entries.filter(
    ({ message: { params } }) =>
      params?.update === undefined || OF_A_TURN.includes(params.update.sessionUpdate),
  );
}

// Lines of JSON, nothing else.
function onlyJson(output) {
  const lines = output.toString("utf8").split("\n");
  const last = lines.pop();
  const problems = last === "" ? [] : [`the output ends in ${JSON.stringify(last)}`];
  for (const line of lines)
    try {
      if (JSON.parse(line).jsonrpc !== "2.0") problems.push(`no JSON-RPC: ${line}`);
    } catch {
      problems.push(`no JSON: ${line}`);
    }
  return problems;
}

// `schema`: an Sdk of acp/schema/agreement. `wire`: what passed, in the words of that schema.
export function problemsOf({ transcript, wire, capabilities, output, killed }, schema) {
  const { entries } = transcript;
  const always = [
    ...onlyAdvertised(entries, capabilities),
    ...places(entries),
    ...lifeOfCalls(entries),
  ];
  if (killed) return always; // it could not finish what it had begun
  const all = [
    ...always,
    ...terminals(entries),
    ...onlyJson(output),
    ...shapesOf(wire, "agent", schema),
    ...orderOf(withoutFreeUpdates(entries)),
  ];
  return [...new Set(all)];
}
