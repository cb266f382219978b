// An editor on the official SDK, which starts an agent and offers it everything a client can.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";

import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";

import { within } from "./deadline.mjs";
import { Terminals } from "./terminals.mjs";
import { isAnswer, tapped, Transcript } from "./wire.mjs";

export const CWD = "/project/project";

const STABLE = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  elicitation: { form: {}, url: {} },
};
const UNSTABLE = { plan: {}, subagents: {} };

const raw = (params) => params;

export class Editor {
  transcript = new Transcript();
  files = new Map([["/project/project/notes.txt", "one\ntwo\nthree\nfour\n"]]);
  terminals = new Terminals();
  // What a scenario may replace: how the agent's requests are answered.
  answers = {
    permission: () => ({ outcome: { outcome: "cancelled" } }),
    read: ({ path, line, limit }) => this.#read(path, line, limit),
    write: ({ path, content }) => (this.files.set(path, content), {}),
    elicitation: () => ({ action: "cancel" }),
    mcp: ({ method }) => ({ result: { method } }),
    custom: (params) => params,
  };

  // `remote`: {server, transport: "http" | "ws"}; the agent is then started by that server.
  static async open({ sdk, program, args = [], unstable, remote }) {
    const command = [...(remote ? [remote.server] : []), program, ...args];
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.on("error", () => {}); // its exit says more
    if (!remote)
      return new Editor(
        { sdk, unstable, child },
        sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
      );
    const url = await within(firstLine(child.stdout), "the server's address");
    const stream =
      remote.transport === "http"
        ? createHttpStream(url)
        : createWebSocketStream(url.replace("http", "ws"));
    return new Editor({ sdk, unstable, child, remote }, stream);
  }

  constructor({ sdk, unstable, child, remote }, stream) {
    this.sdk = sdk;
    this.unstable = unstable;
    this.capabilities = unstable ? { ...STABLE, ...UNSTABLE } : STABLE;
    this.child = child;
    this.remote = remote;
    this.transcript.overHttp = remote?.transport === "http";
    this.connection = this.#app().connect(tapped(stream, this.transcript, "client"));
    this.agent = this.connection.agent;
  }

  #app() {
    const { methods, RequestError } = this.sdk;
    const { client } = methods;
    const app = this.sdk
      .client({ name: "interop" })
      .onRequest(client.session.requestPermission, (cx) => this.answers.permission(cx.params, cx))
      .onRequest(client.fs.readTextFile, (cx) => this.answers.read(cx.params, cx))
      .onRequest(client.fs.writeTextFile, (cx) => this.answers.write(cx.params, cx))
      .onRequest(client.terminal.create, ({ params }) => this.terminals.create(params))
      .onRequest(client.terminal.output, ({ params }) => this.terminals.output(params))
      .onRequest(client.terminal.waitForExit, ({ params, signal }) =>
        this.terminals.wait(params, signal),
      )
      .onRequest(client.terminal.kill, ({ params }) => this.terminals.kill(params))
      .onRequest(client.terminal.release, ({ params }) => this.terminals.release(params))
      .onRequest(client.elicitation.create, (cx) => this.answers.elicitation(cx.params, cx))
      .onNotification(client.elicitation.complete, () => {})
      .onNotification(client.session.update, () => {})
      .onRequest("_client/custom", raw, (cx) => this.answers.custom(cx.params, cx))
      .onRequest("_client/fail", raw, () => {
        throw new RequestError(-31007, "a custom error", { deep: { list: [1, null, "x"] } });
      })
      .onRequest("proxy/successor", raw, ({ params }) => params)
      .onNotification("_client/note", raw, () => {});
    if (!this.unstable) return app;
    return app
      .onRequest(client.mcp.message, (cx) => this.answers.mcp(cx.params, cx))
      .onNotification(client.auth.statusUpdate, () => {});
  }

  #read(path, line, limit) {
    const content = this.files.get(path);
    if (content === undefined) throw this.sdk.RequestError.resourceNotFound(path);
    const lines = content.split(/(?<=\n)/);
    const start = (line ?? 1) - 1;
    return { content: lines.slice(start, limit == null ? undefined : start + limit).join("") };
  }

  request(method, params, options) {
    return within(this.agent.request(method, params, options), `the answer to ${method}`);
  }
  notify(method, params) {
    return this.agent.notify(method, params);
  }

  initialize(version = 1) {
    return this.request("initialize", {
      protocolVersion: version,
      clientCapabilities: this.capabilities,
      clientInfo: { name: "interop", version: "1" },
    });
  }

  async newSession(more = {}) {
    this.session = await this.request("session/new", { cwd: CWD, mcpServers: [], ...more });
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

  // A whole turn: its answer, and what stood before it on the wire.
  async turn(prompt, options) {
    const since = this.mark();
    const { stopReason } = await this.prompt(prompt, options);
    const updates = this.updatesBeforeAnswer("session/prompt", since);
    return { stopReason, updates, text: textOf(updates) };
  }

  mark() {
    return this.transcript.entries.length;
  }

  // The updates between a request of ours and its answer.
  updatesBeforeAnswer(method, since) {
    const entries = this.transcript.entries.slice(since);
    const request = entries.findIndex((e) => e.from === "client" && e.message.method === method);
    const answer = entries.findIndex(
      (e, i) => i > request && e.from === "agent" && isAnswer(e.message, entries[request]),
    );
    return entries.slice(request, answer).flatMap(asUpdate);
  }
  updatesSince(since) {
    return this.transcript.entries.slice(since).flatMap(asUpdate);
  }

  // Whatever the agent sent before it got this has arrived; over HTTP, of this session alone.
  async barrier(sessionId = this.sessionId) {
    await this.request("_echo/echo", { barrier: true, sessionId });
  }

  // What the last `session/load` has replayed. Over HTTP its answer comes by another stream than the
  // updates: which is read first says nothing.
  async replayed(since, sessionId) {
    await this.barrier(sessionId);
    return this.remote?.transport === "http"
      ? this.updatesSince(since)
      : this.updatesBeforeAnswer("session/load", since);
  }

  // The agent must end by itself when its input does.
  async end() {
    const exited = once(this.child, "exit");
    if (this.remote) this.connection.close();
    this.child.stdin.end();
    const [code, signal] = await within(exited, "the agent's end after its input was closed");
    await within(this.connection.closed, "the end of the agent's output");
    this.terminals.end();
    return signal ?? code;
  }

  kill() {
    this.terminals.end();
    this.child.kill("SIGKILL");
  }
}

export async function firstLine(stream) {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0];
}

function asUpdate({ from, message }) {
  return from === "agent" && message.method === "session/update" ? [message.params.update] : [];
}

export function textOf(updates) {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    .map(({ content }) => content.text ?? "")
    .join("");
}
