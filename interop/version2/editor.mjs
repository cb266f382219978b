// A client on the official SDK's draft of version 2, which starts an agent.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";

import { within } from "../deadline.mjs";
import { CWD, textOf } from "../sdk_client.mjs";
import { tapped, Transcript } from "../wire.mjs";

const raw = (params) => params;

export class Editor {
  transcript = new Transcript();
  // What a scenario may replace: how the agent's requests are answered.
  answers = {
    permission: () => ({ outcome: { outcome: "cancelled" } }),
    elicitation: () => ({ action: "cancel" }),
    mcp: ({ method }) => ({ result: { method } }),
    custom: (params) => params,
  };

  static open({ sdk, program, args = [], env = { ACP_V2: "1" } }) {
    const child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    child.stdin.on("error", () => {}); // its exit says more
    return new Editor(sdk, child);
  }

  constructor(sdk, child) {
    this.sdk = sdk;
    this.child = child;
    const stream = sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
    this.connection = this.#app().connect(tapped(stream, this.transcript, "client"));
    this.agent = this.connection.agent;
  }

  #app() {
    const { client } = this.sdk.methods;
    const app = this.sdk
      .client({ name: "interop" })
      .onRequest(client.session.requestPermission, (cx) => this.answers.permission(cx.params, cx))
      .onRequest(client.elicitation.create, (cx) => this.answers.elicitation(cx.params, cx))
      .onNotification(client.elicitation.complete, () => {})
      .onNotification(client.session.update, () => {})
      .onRequest("_client/custom", raw, (cx) => this.answers.custom(cx.params, cx))
      .onNotification("_client/note", raw, () => {});
    if (!client.mcp) return app;
    return app
      .onRequest(client.mcp.message, (cx) => this.answers.mcp(cx.params, cx))
      .onNotification(client.auth.statusUpdate, () => {});
  }

  request(method, params, options) {
    return within(this.agent.request(method, params, options), `the answer to ${method}`);
  }
  notify(method, params) {
    return this.agent.notify(method, params);
  }

  initialize(more = {}) {
    return this.request("initialize", {
      protocolVersion: 2,
      info: { name: "interop", version: "1" },
      capabilities: { elicitation: { form: {}, url: {} } },
      ...more,
    });
  }

  async newSession(more = {}) {
    this.session = await this.request("session/new", { cwd: CWD, ...more });
    this.sessionId = this.session.sessionId;
    return this.session;
  }

  prompt(prompt, options, sessionId = this.sessionId) {
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return this.request("session/prompt", { sessionId, prompt: blocks }, options);
  }
  cancel(sessionId = this.sessionId) {
    return this.notify("session/cancel", { sessionId });
  }

  mark() {
    return this.transcript.entries.length;
  }
  updatesSince(since, sessionId = this.sessionId) {
    return this.transcript.entries
      .slice(since)
      .filter(({ from, message }) => from === "agent" && message.method === "session/update")
      .filter(({ message }) => message.params.sessionId === sessionId)
      .map(({ message }) => message.params.update);
  }
  // The next update of the session, from index `since`, for which this holds.
  async update(predicate, what, since, sessionId = this.sessionId) {
    const entry = await this.transcript.until(
      ({ from, message }) =>
        from === "agent" &&
        message.method === "session/update" &&
        message.params.sessionId === sessionId &&
        predicate(message.params.update),
      what,
      since,
    );
    return entry.message.params.update;
  }
  idle(since, sessionId) {
    const isIdle = (u) => u.sessionUpdate === "state_update" && u.state === "idle";
    return this.update(isIdle, "the end of the turn", since, sessionId);
  }

  // A whole turn: how it ended, and its updates.
  async turn(prompt) {
    const since = this.mark();
    const { messageId } = await this.prompt(prompt);
    const { stopReason, error, usage } = await this.idle(since);
    const updates = this.updatesSince(since);
    return { messageId, stopReason, error, usage, updates, text: textOf(updates) };
  }

  // The agent must end by itself when its input does.
  async end() {
    const exited = once(this.child, "exit");
    this.child.stdin.end();
    const [code, signal] = await within(exited, "the agent's end after its input was closed");
    await within(this.connection.closed, "the end of the agent's output");
    return signal ?? code;
  }
  kill() {
    this.child.kill("SIGKILL");
  }
}
