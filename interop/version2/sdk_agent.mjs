// An agent on the SDK's draft of version 2, for our client to drive: `sdk_agent.mjs [router] [both]
// [login]`. With `router`, its protocol router stands before it; with `both`, also before an agent of
// version 1. The first word of a prompt says what it does.
import { Readable, Writable } from "node:stream";

import * as sdk1 from "@agentclientprotocol/sdk";
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";

const options = process.argv.slice(2);
const { agent: names } = sdk.methods;
const sessions = new Map(); // id → {id, cwd, said, mode, verbose, turns, queue}
let count = 0;
let loggedIn = !options.includes("login");
const id = (prefix) => `${prefix}${++count}`;

const configOptions = ({ mode, verbose }) => [
  {
    configId: "how",
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: mode,
    options: [
      { value: "ask", name: "Ask" },
      { value: "code", name: "Code" },
    ],
  },
  { configId: "verbose", name: "Verbose", type: "boolean", currentValue: verbose },
];
const shape = (session) => ({
  configOptions: configOptions(session),
  availableCommands: [{ type: "command", name: "help", description: "Helps" }],
});
const known = (sessionId) => {
  const session = sessions.get(sessionId);
  if (!session) throw sdk.RequestError.sessionNotFound(sessionId);
  return session;
};

async function work({ client, session, messageId, prompt, signal, text }) {
  const update = (update) =>
    client.notify("session/update", { sessionId: session.id, update });
  const say = (text, messageId = id("m")) =>
    update({
      sessionUpdate: "agent_message_chunk",
      messageId,
      content: { type: "text", text },
    });
  const idle = (more) => update({ sessionUpdate: "state_update", state: "idle", ...more });
  const [word, ...rest] = text.split(" ");
  session.said.push({ messageId, prompt });
  await update({ sessionUpdate: "state_update", state: "running" });
  const words = {
    async tool() {
      const toolCallId = "call";
      const call = (more) => update({ sessionUpdate: "tool_call_update", toolCallId, ...more });
      await call({ title: "Searching", kind: "search", status: "in_progress" });
      for (const text of ["one", "two"])
        await update({
          sessionUpdate: "tool_call_content_chunk",
          toolCallId,
          content: { type: "content", content: { type: "text", text } },
        });
      await call({ status: "completed", rawOutput: { n: 2 } });
    },
    async cancelled_call() {
      const call = { sessionUpdate: "tool_call_update", toolCallId: "c", title: "Stopped" };
      await update({ ...call, status: "cancelled" });
    },
    async diff() {
      const patch = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n";
      await update({
        sessionUpdate: "tool_call_update",
        toolCallId: "edit",
        title: "Editing",
        kind: "edit",
        status: "completed",
        content: [
          {
            type: "diff",
            changes: [{ operation: "modify", path: "/project/a.txt" }],
            patch: { format: "git_patch", text: patch },
          },
        ],
      });
    },
    async replace() {
      await say("draft", "whole");
      await update({
        sessionUpdate: "agent_message",
        messageId: "whole",
        content: [{ type: "text", text: "final" }],
      });
    },
    async terminal() {
      const of = (more) => update({ terminalId: "t", ...more });
      await of({ sessionUpdate: "terminal_update", command: "ls", output: { data: "YQ==" } });
      await of({ sessionUpdate: "terminal_output_chunk", data: "Yg==" });
      await of({ sessionUpdate: "terminal_update", exitStatus: { exitCode: 3 } });
    },
    async background() {
      await update({
        sessionUpdate: "state_update",
        state: "running",
        background: [{ type: "tool_call", toolCallId: "b" }],
      });
    },
    async plan() {
      const entries = [{ content: "look", priority: "high", status: "pending" }];
      await update({ sessionUpdate: "plan_update", plan: { type: "items", planId: "p", entries } });
    },
    async usage() {
      const cost = { amount: 1, currency: "USD" };
      await update({ sessionUpdate: "usage_update", used: 10, size: 100, cost });
    },
    async mode() {
      session.mode = rest[0];
      await update({ sessionUpdate: "config_option_update", configOptions: configOptions(session) });
    },
    async permission() {
      const answer = await client.request(
        "session/request_permission",
        {
          sessionId: session.id,
          title: "Run it?",
          description: "It is needed.",
          subject: { type: "command", command: "make", cwd: "/project" },
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      await say(JSON.stringify(answer.outcome));
    },
    async elicit() {
      const answer = await client.request("elicitation/create", {
        mode: "form",
        sessionId: session.id,
        message: "Which?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      });
      await say(JSON.stringify(answer));
    },
    async "read-file"() {
      await say(await client.request("fs/read_text_file", { path: "/x" }).then(String, String));
    },
    async unknown() {
      await update({ sessionUpdate: "_odd", x: 1 });
      await update({ sessionUpdate: "state_update", state: "_thinking" });
    },
    async wait() {
      await say("waiting");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  try {
    if (word === "stop") return await idle({ stopReason: rest[0] });
    if (word === "fail")
      return await idle({ stopReason: "error", error: { code: -31999, message: "broken" } });
    await (words[word] ? words[word]() : say(text));
    await idle({ stopReason: signal.aborted ? "cancelled" : "end_turn" });
  } catch (error) {
    await idle(
      signal.aborted
        ? { stopReason: "cancelled" }
        : { stopReason: "error", error: { code: -32603, message: String(error) } },
    );
  }
}

const app = sdk
  .agent({ name: "sdk-agent" })
  .onRequest(names.initialize, () => ({
    protocolVersion: 2,
    info: { name: "sdk-agent", version: "2.4.0" },
    authMethods: [{ type: "agent", methodId: "password", name: "Log in" }],
    capabilities: {
      session: {
        prompt: { image: {}, embeddedContext: {} },
        mcp: { stdio: {}, http: {} },
        delete: {},
        additionalDirectories: {},
      },
    },
  }))
  .onRequest(names.auth.login, () => ((loggedIn = true), {}))
  .onRequest(names.auth.logout, () => ((loggedIn = false), {}))
  .onRequest(names.session.new, ({ params }) => {
    if (!loggedIn) throw sdk.RequestError.authRequired();
    const session = { id: id("s"), cwd: params.cwd, said: [], mode: "ask", verbose: false };
    sessions.set(session.id, Object.assign(session, { turns: new Set(), queue: Promise.resolve() }));
    return { sessionId: session.id, ...shape(session) };
  })
  .onRequest(names.session.resume, async ({ params, client }) => {
    const session = known(params.sessionId);
    const update = (update) => client.notify("session/update", { sessionId: session.id, update });
    if (params.replayFrom)
      for (const { messageId, prompt } of session.said)
        await update({ sessionUpdate: "user_message", messageId, content: prompt });
    await update({ sessionUpdate: "state_update", state: "idle" });
    return shape(session);
  })
  .onRequest(names.session.list, () => ({
    sessions: [...sessions.values()].map(({ id, cwd }) => ({ sessionId: id, cwd })),
  }))
  .onRequest(names.session.close, ({ params }) => {
    for (const turn of known(params.sessionId).turns) turn.abort();
    return {};
  })
  .onRequest(names.session.delete, ({ params }) => (sessions.delete(params.sessionId), {}))
  .onRequest(names.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    if (params.configId === "how") session.mode = params.value;
    else session.verbose = params.value;
    return { configOptions: configOptions(session) };
  })
  .onRequest(names.session.prompt, async ({ params, client, signal }) => {
    const session = known(params.sessionId);
    const text = params.prompt.map((block) => block.text ?? "").join("");
    const messageId = id("u");
    const turn = new AbortController();
    session.turns.add(turn);
    signal.addEventListener("abort", () => turn.abort());
    let release;
    const before = session.queue;
    session.queue = new Promise((resolve) => (release = resolve));
    await before;
    if (turn.signal.aborted) {
      release();
      throw sdk.RequestError.requestCancelled();
    }
    // The echo may come before the answer, or after it; in one piece or several.
    const echo = (update) =>
      client.notify("session/update", { sessionId: session.id, update: { messageId, ...update } });
    const whole = { sessionUpdate: "user_message", content: params.prompt };
    if (text.startsWith("early")) await echo(whole);
    setImmediate(async () => {
      if (text.startsWith("pieces"))
        for (const content of params.prompt)
          await echo({ sessionUpdate: "user_message_chunk", content });
      else if (!text.startsWith("early")) await echo(whole);
      await work({ client, session, messageId, prompt: params.prompt, signal: turn.signal, text });
      session.turns.delete(turn);
      release();
    });
    return { messageId };
  })
  .onNotification(names.session.cancel, ({ params }) => {
    for (const turn of sessions.get(params.sessionId)?.turns ?? []) turn.abort();
  });

// Version 1, to be told apart: it says which files and terminals its client has.
const app1 = sdk1
  .agent({ name: "sdk-agent-1" })
  .onRequest("initialize", ({ params }) => {
    app1.client = params.clientCapabilities;
    return { protocolVersion: 1, agentCapabilities: {} };
  })
  .onRequest("session/new", () => ({ sessionId: "one" }))
  .onRequest("session/prompt", async ({ params, client }) => {
    const text = JSON.stringify(app1.client);
    await client.notify("session/update", {
      sessionId: params.sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });
    return { stopReason: "end_turn" };
  })
  .onNotification("session/cancel", () => {});

const stream = sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
if (options.includes("router")) {
  const router = sdk.agentProtocolRouter().withV1(app1);
  if (options.includes("both")) router.withV2(app);
  router.connect(stream);
} else {
  app.connect(stream);
}
