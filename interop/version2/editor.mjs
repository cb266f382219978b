// A client on the official SDK's draft of version 2, which starts an agent.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";

import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";

import { within } from "../deadline.mjs";
import { CWD, firstLine, textOf } from "../sdk_client.mjs";
import { tapped, Transcript } from "../wire.mjs";

const raw = (params) => params;

// An answer that comes only when nobody waits for it any more.
export function untilCancelled(_params, { signal }) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
  });
}

export class Editor {
  transcript = new Transcript();
  // What a scenario may replace: how the agent's requests are answered.
  answers = {
    permission: () => ({ outcome: { outcome: "cancelled" } }),
    elicitation: () => ({ action: "cancel" }),
    mcp: ({ method }) => ({ result: { method } }),
    custom: (params) => params,
    wait: untilCancelled,
  };

  // `remote`: {server, transport: "http" | "ws"}; the agent is then started by that server.
  static async open({ sdk, program, args = [], env = { ACP_V2: "1" }, remote }) {
    const command = [...(remote ? [remote.server] : []), program, ...args];
    const child = spawn(command[0], command.slice(1), {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    child.stdin.on("error", () => {}); // its exit says more
    if (!remote) {
      const pipes = [Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)];
      return new Editor(sdk, child, sdk.ndJsonStream(...pipes));
    }
    const url = await within(firstLine(child.stdout), "the server's address");
    const stream =
      remote.transport === "http"
        ? createHttpStream(url)
        : createWebSocketStream(url.replace("http", "ws"));
    return new Editor(sdk, child, stream, remote);
  }

  constructor(sdk, child, stream, remote) {
    this.sdk = sdk;
    this.child = child;
    this.remote = remote;
    this.connection = this.#app().connect(tapped(stream, this.transcript, "client"));
    this.agent = this.connection.agent;
  }

  #app() {
    const { client } = this.sdk.methods;
    const { RequestError } = this.sdk;
    const app = this.sdk
      .client({ name: "interop" })
      .onRequest(client.session.requestPermission, (cx) => this.answers.permission(cx.params, cx))
      .onRequest(client.elicitation.create, (cx) => this.answers.elicitation(cx.params, cx))
      .onNotification(client.elicitation.complete, () => {})
      .onNotification(client.session.update, () => {})
      .onRequest("_client/custom", raw, (cx) => this.answers.custom(cx.params, cx))
      .onRequest("_client/wait", raw, (cx) => this.answers.wait(cx.params, cx))
      .onRequest("_client/fail", raw, () => {
        throw new RequestError(-31007, "a custom error", { deep: { list: [1, null, "x"] } });
      })
      .onRequest("_client/throw", raw, () => {
        throw new Error("a program's own");
      })
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

  // Whatever the agent sent before it got this has arrived; over HTTP, of this session alone.
  async barrier() {
    await this.request("_echo/echo", { barrier: true, sessionId: this.sessionId });
  }

  // The agent must end by itself when its input does.
  async end() {
    const exited = once(this.child, "exit");
    if (this.remote) this.connection.close();
    this.child.stdin.end();
    const [code, signal] = await within(exited, "the agent's end after its input was closed");
    await within(this.connection.closed, "the end of the agent's output");
    return signal ?? code;
  }
  kill() {
    this.child.kill("SIGKILL");
  }
}
