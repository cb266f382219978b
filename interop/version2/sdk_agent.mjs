// An agent on the SDK's draft of version 2, for our client to drive: `sdk_agent.mjs [router] [both]
// [versions=1|2|both] [login] [serve]`. With `router`, its protocol router stands before an agent of
// version 1; with `both` before this one, too; or before those that `versions` names. With `serve` the SDK's server offers both transports, and says where.
// The first word of a prompt says what it does; more of them stand in sdk_agent_words.mjs.
import { Readable, Writable } from "node:stream";

import * as sdk1 from "@agentclientprotocol/sdk";
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";

import { serve } from "../remote/sdk_server.mjs";
import { DONE, wordsOf } from "./sdk_agent_words.mjs";

const options = process.argv.slice(2);
const { agent: names } = sdk.methods;
const sessions = new Map(); // id → {id, cwd, said, mode, model, verbose, turns, queue}
const mcp = { stdio: {}, http: {} };
let count = 0;
let loggedIn = !options.includes("login");
const id = (prefix) => `${prefix}${++count}`;

const configOptions = ({ mode, model, verbose }) => [
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
  {
    configId: "model",
    name: "Model",
    type: "select",
    currentValue: model,
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large" },
    ],
  },
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

const raw = (params) => params;

// What a turn has offered to be cancelled.
function cancel(session, what, data) {
  const stop = session.cancellable?.get(what);
  if (!stop) throw sdk.RequestError.invalidParams(data);
  session.cancellable.delete(what);
  stop();
}

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
    ...wordsOf({ sdk, client, session, signal, update, say, idle, text: rest.join(" ") }),
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
    if ((await (words[word] ? words[word]() : say(text))) === DONE) return;
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
        prompt: { image: {}, audio: {}, embeddedContext: {} },
        mcp,
        delete: {},
        additionalDirectories: {},
      },
    },
  }))
  .onRequest(names.auth.login, ({ params }) => {
    if (params.methodId !== "password") throw sdk.RequestError.invalidParams({ what: "methodId" });
    loggedIn = true;
  })
  .onRequest(names.auth.logout, () => ((loggedIn = false), {}))
  .onRequest(names.session.new, ({ params }) => {
    if (!loggedIn) throw sdk.RequestError.authRequired();
    sdk.assertSupportedMcpServers(params.mcpServers, mcp);
    const options = { mode: "ask", model: "small", verbose: false };
    const session = { id: id("s"), cwd: params.cwd, said: [], ...options };
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
  // Two on a page.
  .onRequest(names.session.list, ({ params }) => {
    const all = [...sessions.values()].filter(({ cwd }) => !params.cwd || cwd === params.cwd);
    const start = Number(params.cursor ?? 0);
    const page = all.slice(start, start + 2).map(({ id, cwd }) => ({ sessionId: id, cwd }));
    return { sessions: page, ...(start + 2 < all.length && { nextCursor: String(start + 2) }) };
  })
  .onRequest(names.session.close, ({ params }) => {
    for (const turn of known(params.sessionId).turns) turn.abort();
    return {};
  })
  .onRequest(names.session.delete, ({ params }) => (sessions.delete(params.sessionId), {}))
  .onRequest(names.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    const values = { how: ["ask", "code"], model: ["small", "large"], verbose: [true, false] };
    if (!values[params.configId]?.includes(params.value))
      throw sdk.RequestError.invalidParams({ what: "configId or value" });
    session[params.configId === "how" ? "mode" : params.configId] = params.value;
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
  })
  .onRequest(names.toolCall.cancel, ({ params }) =>
    cancel(known(params.sessionId), params.toolCallId, { what: "toolCallId" }),
  )
  .onRequest(names.terminal.cancel, ({ params }) =>
    cancel(known(params.sessionId), `terminal ${params.terminalId}`, { what: "terminalId" }),
  )
  .onRequest("_echo/echo", raw, ({ params }) => params)
  .onRequest("_echo/fail", raw, () => {
    throw new sdk.RequestError(-31007, "a custom error", { deep: [1, null, "x"] });
  })
  .onRequest("_echo/throw", raw, () => {
    throw new Error("a program's own");
  })
  .onRequest("_echo/wait", raw, ({ signal, client }) => {
    client.notify("_echo/waiting", {});
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        client.notify("_echo/cancelled", {});
        reject(new DOMException("cancelled", "AbortError"));
      });
    });
  })
  .onNotification("_echo/note", raw, ({ params, client }) => client.notify("_echo/noted", params));

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

const versions = options.find((option) => option.startsWith("versions="))?.slice(9);
const router = sdk.agentProtocolRouter();
if (versions !== "2") router.withV1(app1);
if (["2", "both"].includes(versions) || options.includes("both")) router.withV2(app);
const all = options.includes("router") ? router : app;
if (options.includes("serve")) {
  console.log(await serve(all));
  process.stdin.on("end", () => process.exit(0)).resume();
} else {
  all.connect(sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}
