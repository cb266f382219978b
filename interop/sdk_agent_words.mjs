// What the SDK agent does for each word that a prompt may begin with; any other text is echoed.
const chunk = (text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const block = (content) => ({ sessionUpdate: "agent_message_chunk", content });

const CONTENT = [
  { type: "text", text: "text" },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "resource_link", name: "a.txt", uri: "file:///project/a.txt" },
  { type: "resource", resource: { uri: "file:///project/a.txt", text: "inside" } },
  { type: "resource", resource: { uri: "file:///project/a.bin", blob: "AAEC" } },
];
const tool = { toolCallId: "call_1", title: "Reading", kind: "read" };
const UPDATES = [
  { sessionUpdate: "user_message_chunk", content: CONTENT[0], messageId: "m0" },
  { sessionUpdate: "agent_message_chunk", content: CONTENT[0], messageId: "m1" },
  { sessionUpdate: "agent_thought_chunk", content: CONTENT[0] },
  { sessionUpdate: "tool_call", ...tool, status: "pending", name: "cat", rawInput: { path: "a" } },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "call_1",
    status: "completed",
    content: [
      { type: "content", content: CONTENT[0] },
      { type: "diff", path: "/project/a", oldText: null, newText: "new" },
      { type: "terminal", terminalId: "shown" },
    ],
    locations: [{ path: "/project/a", line: 3 }],
  },
  { sessionUpdate: "plan", entries: [{ content: "do", priority: "high", status: "pending" }] },
  { sessionUpdate: "available_commands_update", availableCommands: [] },
  { sessionUpdate: "current_mode_update", currentModeId: "code" },
  { sessionUpdate: "config_option_update", configOptions: [] },
  { sessionUpdate: "session_info_update", title: "A title", updatedAt: "2026-11-02T00:00:00Z" },
  { sessionUpdate: "usage_update", used: 12, size: 100, cost: { amount: 0.5, currency: "EUR" } },
  { sessionUpdate: "notice", severity: "warning", title: "A notice" },
  { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
  { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content: CONTENT[0] },
  { sessionUpdate: "compaction_update", compactionId: "c1", status: "completed" },
];
const UNSTABLE = [
  { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "p1", content: "# Plan" } },
  { sessionUpdate: "plan_update", plan: { type: "items", planId: "p2", entries: [] } },
  { sessionUpdate: "plan_update", plan: { type: "file", planId: "p3", uri: "file:///p.md" } },
  { sessionUpdate: "plan_removed", planId: "p1" },
  { sessionUpdate: "subagent_update", sessionId: "sub", title: "Sub", state: { state: "running" } },
  { sessionUpdate: "session_message", messageId: "m2", senderSessionId: "sub" },
  { sessionUpdate: "session_message_chunk", messageId: "m2", content: CONTENT[0] },
];
const PERMISSIONS = ["reject_always", "reject_once", "allow_always", "allow_once"].map((kind) => ({
  optionId: `the ${kind} one`,
  name: kind,
  kind,
}));
const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

export function isAborted(error, signal) {
  return signal.aborted && (error.name === "AbortError" || error.code === -32800);
}

let edits = 0;

class Turn {
  constructor({ cx, sdk, session, signal, offered }) {
    const { client } = cx;
    Object.assign(this, { sdk, session, signal, offered, client, sessionId: session.id });
  }
  // What a careful agent does not ask for unless it is offered.
  needs(...path) {
    const is_there = path.reduce((part, name) => part?.[name], this.offered);
    if (this.offered && !is_there)
      throw new this.sdk.RequestError(-31001, `the client does not offer ${path.join(".")}`);
  }
  update(update) {
    return this.client.notify("session/update", { sessionId: this.sessionId, update });
  }
  async say(text) {
    this.session.said.push(["agent_message_chunk", text]);
    await this.update(chunk(text));
  }
  // A request that is taken back when the turn is cancelled.
  ask(method, params, more = {}) {
    const options = { cancellationSignal: this.signal, ...more };
    return this.client.request(method, { sessionId: this.sessionId, ...params }, options);
  }
  untilCancelled() {
    return new Promise((_, reject) => {
      const stop = () => reject(new DOMException("cancelled", "AbortError"));
      if (this.signal.aborted) stop();
      this.signal.addEventListener("abort", stop);
    });
  }
}

async function runTerminal(turn, { command, kill, timeOutMs }) {
  turn.needs("terminal");
  const handle = await turn.client.createTerminal({ sessionId: turn.sessionId, command });
  const content = [{ type: "terminal", terminalId: handle.id }];
  await turn.update({ sessionUpdate: "tool_call", ...tool, kind: "execute", content });
  let timer;
  try {
    if (kill) await handle.kill();
    if (timeOutMs) timer = setTimeout(() => handle.kill(), timeOutMs);
    const exit = await turn.ask("terminal/wait_for_exit", { terminalId: handle.id });
    const { output, truncated } = await handle.currentOutput();
    await turn.say(`${output}[${exit.signal ?? exit.exitCode}]${truncated ? "..." : ""}`);
  } catch (error) {
    await handle.kill();
    throw error;
  } finally {
    clearTimeout(timer);
    await handle.release();
  }
}

const words = {
  async content(turn) {
    for (const content of CONTENT) await turn.update(block(content));
  },
  async updates(turn) {
    for (const update of UPDATES) await turn.update(update);
  },
  async unstable(turn) {
    for (const update of UNSTABLE) await turn.update(update);
  },
  stop: (_turn, reason) => ({ stopReason: reason }),
  async permission(turn) {
    const params = { toolCall: { ...tool, kind: "delete" }, options: PERMISSIONS };
    const { outcome } = await turn.ask("session/request_permission", params);
    if (outcome.outcome === "cancelled") return { stopReason: "cancelled" };
    await turn.say(PERMISSIONS.find(({ optionId }) => optionId === outcome.optionId).kind);
  },
  async read(turn, rest) {
    turn.needs("fs", "readTextFile");
    const [path, line, limit] = rest.split(" ");
    const part = line === undefined ? {} : { line: Number(line), limit: Number(limit) };
    await turn.say((await turn.ask("fs/read_text_file", { path, ...part })).content);
  },
  async write(turn, rest) {
    turn.needs("fs", "writeTextFile");
    const [path, ...content] = rest.split(" ");
    await turn.ask("fs/write_text_file", { path, content: content.join(" ") });
    await turn.say("written");
  },
  // Asks before it writes.
  async edit(turn, rest) {
    const [path, ...content] = rest.split(" ");
    const toolCallId = `edit_${++edits}`;
    const call = { toolCallId, title: "Editing", kind: "edit" };
    await turn.update({ sessionUpdate: "tool_call", ...call, status: "pending" });
    const done = (status) =>
      turn.update({ sessionUpdate: "tool_call_update", toolCallId, status });
    const params = { toolCall: { toolCallId }, options: PERMISSIONS };
    let allowed = false;
    try {
      const { outcome } = await turn.ask("session/request_permission", params);
      if (outcome.outcome === "cancelled") return { stopReason: "cancelled" };
      const chosen = PERMISSIONS.find(({ optionId }) => optionId === outcome.optionId);
      allowed = chosen?.kind.startsWith("allow") ?? false;
      if (allowed) await turn.ask("fs/write_text_file", { path, content: content.join(" ") });
    } finally {
      await done(allowed ? "completed" : "failed");
    }
  },
  terminal: (turn, command) => runTerminal(turn, { command }),
  kill: (turn, command) => runTerminal(turn, { command, kill: true }),
  "time-out": (turn, command) => runTerminal(turn, { command, timeOutMs: 20 }),
  async elicit(turn) {
    const params = { mode: "form", message: "Who are you?", requestedSchema: FORM };
    const { action, content } = await turn.ask("elicitation/create", params);
    await turn.say(content ? `${action} ${content.name}` : action);
  },
  async "elicit-url"(turn) {
    const page = {
      mode: "url",
      message: "Log in",
      url: "https://example.com",
      elicitationId: "e1",
    };
    const { action } = await turn.ask("elicitation/create", page);
    if (action === "accept")
      await turn.client.notify("elicitation/complete", { elicitationId: "e1" });
    await turn.say(action);
  },
  async mcp(turn, method) {
    const { serverId } = turn.session.servers.find(({ type }) => type === "acp");
    const message = { serverId, requestId: "r1", method, params: {} };
    const answer = await turn.client.request("mcp/message", message);
    await turn.say(JSON.stringify(answer.result ?? answer.error.code));
  },
  async ext(turn, rest) {
    const [method, ...params] = rest.split(" ");
    const options = { cancellationSignal: turn.signal };
    const answer = await turn.client.request(method, JSON.parse(params.join(" ")), options);
    await turn.say(JSON.stringify(answer));
  },
  async "ext-notify"(turn, rest) {
    const [method, ...params] = rest.split(" ");
    await turn.client.notify(method, JSON.parse(params.join(" ")));
  },
  // Asks, and takes the question back when the client says that it has it.
  async "take-back"(turn, method) {
    const taken = new AbortController();
    const answer = turn.client.request(method, {}, { cancellationSignal: taken.signal });
    await turn.client.request("_client/asked", {});
    taken.abort();
    await answer;
  },
  "auth-update": (turn) => turn.client.notify("auth/status_update", { state: "unknown" }),
  throw() {
    throw new Error("a secret of the agent's");
  },
  error(turn, code) {
    throw new turn.sdk.RequestError(Number(code), "as you wish", { asked: true });
  },
  async wait(turn) {
    await turn.say("waiting");
    await turn.untilCancelled();
  },
  async stream(turn) {
    while (!turn.signal.aborted) {
      await turn.update(chunk("again and "));
      await new Promise(setImmediate); // lets session/cancel in
    }
  },
};

// Errors of the client are said, instead of failing the turn.
const ASKS = ["permission", "read", "write", "terminal", "elicit", "mcp", "ext", "take-back"];

export async function answer(context) {
  const turn = new Turn(context);
  const text = context.cx.params.prompt.map((part) => part.text ?? "").join("");
  context.session.said.push(["user_message_chunk", text]);
  const [word, ...rest] = text.split(" ");
  if (!words[word]) {
    await turn.say(text);
    return { stopReason: "end_turn" };
  }
  try {
    return (await words[word](turn, rest.join(" "))) ?? { stopReason: "end_turn" };
  } catch (error) {
    if (!ASKS.includes(word) || isAborted(error, turn.signal)) throw error;
    await turn.say(`failed ${error.code} ${error.message} ${JSON.stringify(error.data)}`);
    return { stopReason: "end_turn" };
  }
}
