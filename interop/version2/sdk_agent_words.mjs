// More of what the SDK's agent of version 2 does for the words that a prompt may begin with.

// The turn has said by itself that it is over.
export const DONE = Symbol("done");

const TEXT = { type: "text", text: "text" };
const CONTENT = [
  TEXT,
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "resource_link", name: "a.txt", uri: "file:///project/a.txt" },
  { type: "resource", resource: { uri: "file:///project/a.txt", text: "inside" } },
  { type: "resource", resource: { uri: "file:///project/a.bin", blob: "AAEC" } },
];
const CHANGES = [
  { operation: "add", path: "/project/new" },
  { operation: "delete", path: "/project/gone" },
  { operation: "modify", path: "/project/changed" },
  { operation: "move", oldPath: "/project/here", path: "/project/there" },
  { operation: "copy", oldPath: "/project/there", path: "/project/too" },
];
const call = (toolCallId, more) => ({ sessionUpdate: "tool_call_update", toolCallId, ...more });
const BACKGROUND = [
  { type: "tool_call", toolCallId: "b" },
  { type: "terminal", terminalId: "t" },
];
const UPDATES = [
  { sessionUpdate: "user_message_chunk", messageId: "m0", content: TEXT },
  { sessionUpdate: "user_message", messageId: "m1", content: [TEXT] },
  { sessionUpdate: "agent_message_chunk", messageId: "m2", content: TEXT },
  { sessionUpdate: "agent_message", messageId: "m3", content: [TEXT] },
  { sessionUpdate: "agent_thought_chunk", messageId: "m4", content: TEXT },
  { sessionUpdate: "agent_thought", messageId: "m5", content: [TEXT] },
  call("u1", { title: "Reading", name: "cat", kind: "read", status: "pending", rawInput: { path: "a" } }),
  call("u1", { status: "in_progress", locations: [{ path: "/project/a", line: 3 }] }),
  {
    sessionUpdate: "tool_call_content_chunk",
    toolCallId: "u1",
    content: { type: "content", content: TEXT },
  },
  call("u1", {
    status: "completed",
    content: [
      { type: "content", content: TEXT },
      { type: "diff", changes: CHANGES },
      { type: "terminal", terminalId: "shown" },
    ],
  }),
  call("failed", { title: "Failing", status: "failed" }),
  call("stopped", { title: "Stopped", status: "cancelled" }),
  call("paused", { title: "Paused", status: "paused" }),
  { sessionUpdate: "terminal_update", terminalId: "shown", command: "ls", cwd: "/project" },
  { sessionUpdate: "terminal_output_chunk", terminalId: "shown", data: "b25lCg==" },
  { sessionUpdate: "terminal_update", terminalId: "shown", exitStatus: { exitCode: 0 } },
  {
    sessionUpdate: "plan_update",
    plan: {
      type: "items",
      planId: "p",
      entries: [{ content: "do", priority: "high", status: "cancelled" }],
    },
  },
  { sessionUpdate: "available_commands_update", availableCommands: [] },
  { sessionUpdate: "session_info_update", title: "A title", updatedAt: "2026-11-02T00:00:00Z" },
  { sessionUpdate: "usage_update", used: 12, size: 100, cost: { amount: 0.5, currency: "EUR" } },
  { sessionUpdate: "notice", severity: "warning", title: "A notice" },
  { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
  { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content: TEXT },
  { sessionUpdate: "compaction_update", compactionId: "c1", status: "completed" },
];
const PERMISSIONS = ["reject_always", "reject_once", "allow_always", "allow_once"].map((kind) => ({
  optionId: `the ${kind} one`,
  name: kind,
  kind,
}));
const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

export function wordsOf({ sdk, client, session, signal, update, say, idle, text }) {
  const sessionId = session.id;
  // A request that is taken back when the turn is cancelled.
  const ask = (method, params, sent = signal) =>
    client.request(method, params, { cancellationSignal: sent });
  // Errors of the client are said, instead of failing the turn.
  const told = async (asking) => {
    try {
      await say(await asking);
    } catch (error) {
      if (signal.aborted) throw error;
      await say(`failed ${error.code} ${error.message} ${JSON.stringify(error.data)}`);
    }
  };
  const question = (sessionId) => {
    const toolCall = { toolCallId: "asked", title: "Deleting", kind: "delete" };
    const subject = { type: "tool_call", toolCall };
    return { sessionId, title: "May I?", subject, options: PERMISSIONS };
  };
  const permission = async (sessionId) => {
    const { outcome } = await ask("session/request_permission", question(sessionId));
    const chosen = PERMISSIONS.find(({ optionId }) => optionId === outcome.optionId);
    return chosen?.kind ?? outcome.outcome;
  };

  return {
    async content() {
      for (const content of CONTENT)
        await update({ sessionUpdate: "agent_message_chunk", messageId: "content", content });
    },
    async updates() {
      for (const one of UPDATES) await update(one);
      session.verbose = true;
      const configOptions = [
        { configId: "verbose", name: "Verbose", type: "boolean", currentValue: true },
      ];
      await update({ sessionUpdate: "config_option_update", configOptions });
    },
    async states() {
      for (const state of ["running", "requires_action"]) {
        await update({ sessionUpdate: "state_update", state, background: BACKGROUND });
        await client.request("_client/look", {});
      }
      await idle({ stopReason: "end_turn", background: BACKGROUND });
      return DONE;
    },
    async stream() {
      while (!signal.aborted) {
        await say("again and ", "stream");
        await new Promise(setImmediate); // lets session/cancel in
      }
    },
    "permission-all": () => told(permission(sessionId)),
    "permission-nowhere": () => told(permission("nowhere")),
    "elicit-form": () =>
      told(
        ask("elicitation/create", {
          mode: "form",
          sessionId,
          message: "Who are you?",
          requestedSchema: FORM,
        }).then(({ action, content }) => (content ? `${action} ${content.name}` : action)),
      ),
    async "elicit-url"() {
      const page = { url: "https://example.com", elicitationId: "e1" };
      const params = { mode: "url", sessionId, message: "Log in", ...page };
      const { action } = await ask("elicitation/create", params);
      if (action === "accept")
        await client.notify("elicitation/complete", { elicitationId: "e1" });
      await say(action);
    },
    ext() {
      const [method, ...params] = text.split(" ");
      return told(ask(method, JSON.parse(params.join(" "))).then(JSON.stringify));
    },
    async "ext-notify"() {
      const [method, ...params] = text.split(" ");
      await client.notify(method, JSON.parse(params.join(" ")));
    },
    // Asks, and takes the question back when the client says that it has it.
    async "take-back"() {
      const taken = new AbortController();
      const params = text === "session/request_permission" ? question(sessionId) : {};
      const answer = ask(text, params, taken.signal);
      await client.request("_client/asked", { method: text });
      taken.abort();
      await told(answer);
    },
    // A call and a terminal that can be cancelled; the turn ends when both were.
    async cancellable() {
      const name = "can be";
      const capabilities = { cancel: {} };
      session.cancellable = new Map();
      const cancelled = [name, `terminal ${name}`].map(
        (what) => new Promise((resolve) => session.cancellable.set(what, resolve)),
      );
      await update(call(name, { title: "Working", status: "in_progress", capabilities }));
      const terminal = { sessionUpdate: "terminal_update", terminalId: name };
      await update({ ...terminal, command: "sleep", capabilities });
      await client.notify("_client/note", {});
      await cancelled[0];
      await update(call(name, { status: "cancelled", capabilities: null }));
      await cancelled[1];
      await update({ ...terminal, exitStatus: { signal: "SIGTERM" }, capabilities: null });
    },
    throw() {
      throw new Error("a program's own");
    },
    // What is no message: answered with the id null.
    async raw() {
      const request = { jsonrpc: "2.0", method: "_client/echo", params: {} };
      const lines = ["{", JSON.stringify({ ...request, id: null }), JSON.stringify({ ...request, id: 1.5 })];
      process.stdout.write(lines.map((line) => `${line}\n`).join(""));
      await say("written");
    },
  };
}
