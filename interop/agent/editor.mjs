// An editor on the official SDK that drives `acp agent`, and writes down all that passes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";

import * as sdk from "@agentclientprotocol/sdk/unstable";

import { within } from "../deadline.mjs";
import { Terminals } from "../terminals.mjs";
import { isAnswer, tapped, Transcript } from "../wire.mjs";
import { Buffers } from "./buffers.mjs";
import { Permissions } from "./permissions.mjs";

export const ALL = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { notices: {}, compaction: {} },
};
export const capabilitiesOf = (read, write, terminal) => ({
  fs: { readTextFile: read, writeTextFile: write },
  terminal,
});

export class Editor {
  transcript = new Transcript();
  buffers = new Buffers(sdk);
  permissions = new Permissions();
  terminals = new Terminals();
  stdout = []; // its bytes, in pieces
  stderr = "";
  killed = false;
  turns = 0;

  constructor({ program, args, environment, cwd, capabilities = ALL, project }) {
    this.capabilities = capabilities;
    this.wire = this.transcript;
    this.project = project;
    this.child = spawn(program, args, { cwd, env: environment, stdio: "pipe" });
    this.child.on("error", (error) => (this.stderr += error.message));
    this.exited = once(this.child, "close");
    this.exited.catch(() => {});
    this.child.stdin.on("error", () => {}); // its exit says more
    this.child.stderr.on("data", (text) => (this.stderr += text));
    this.child.stdout.on("data", (bytes) => (this.stdout.push(bytes), this.onBytes?.(bytes)));
    this.connection = this.connect(
      Readable.toWeb(this.child.stdout),
      Writable.toWeb(this.child.stdin),
    );
    this.agent = this.connection.agent;
  }

  connect(readable, writable) {
    const { client } = sdk.methods;
    const app = sdk
      .client({ name: "agent-test" })
      .onRequest(client.session.requestPermission, (cx) => this.permissions.answer(cx.params, cx))
      .onRequest(client.fs.readTextFile, ({ params }) => this.buffers.read(params))
      .onRequest(client.fs.writeTextFile, ({ params }) => this.buffers.write(params))
      .onRequest(client.terminal.create, ({ params }) => this.terminals.create(params))
      .onRequest(client.terminal.output, ({ params }) => this.terminals.output(params))
      .onRequest(client.terminal.waitForExit, ({ params, signal }) =>
        this.terminals.wait(params, signal),
      )
      .onRequest(client.terminal.kill, ({ params }) => this.terminals.kill(params))
      .onRequest(client.terminal.release, ({ params }) => this.terminals.release(params))
      .onNotification(client.session.update, () => {});
    return app.connect(tapped(sdk.ndJsonStream(writable, readable), this.transcript, "client"));
  }

  request(method, params, options) {
    const gone = this.exited.then(([code, signal]) => {
      const how = `${signal ?? code}; ${this.stderr}`;
      throw new Error(`the agent ended before ${method} was answered: ${how}`);
    });
    gone.catch(() => {});
    const answer = Promise.race([this.agent.request(method, params, options), gone]);
    const waited = within(answer, `the answer to ${method}`);
    waited.catch(() => {}); // a scenario that has failed does not wait for it
    return waited;
  }
  notify(method, params) {
    return this.agent.notify(method, params);
  }

  async initialize() {
    this.initialized = await this.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: this.capabilities,
      clientInfo: { name: "agent-test", version: "1" },
    });
    return this.initialized;
  }

  async newSession(more = {}) {
    const params = { cwd: this.project, mcpServers: [], ...more };
    this.session = await this.request("session/new", params);
    this.sessionId = this.session.sessionId;
    return this.session;
  }

  // session/load, resume or fork, and what was sent before the answer.
  async open(method, sessionId, more = {}) {
    const since = this.mark();
    const params = { sessionId, cwd: this.project, mcpServers: [], ...more };
    this.session = await this.request(method, params);
    this.sessionId = this.session.sessionId ?? sessionId;
    return { session: this.session, updates: this.updatesBeforeAnswer(method, since) };
  }

  prompt(prompt, sessionId = this.sessionId, options) {
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return this.request("session/prompt", { sessionId, prompt: blocks }, options);
  }
  cancel(sessionId = this.sessionId) {
    return this.notify("session/cancel", { sessionId });
  }

  // A whole turn: its stop reason, and the updates between question and answer.
  async turn(prompt, sessionId = this.sessionId) {
    const since = this.mark();
    const { stopReason } = await this.prompt(prompt, sessionId);
    return { stopReason, updates: this.updatesBeforeAnswer("session/prompt", since, sessionId) };
  }

  mark() {
    return this.transcript.entries.length;
  }

  updatesBeforeAnswer(method, since, sessionId) {
    const entries = this.transcript.entries.slice(since);
    const request = entries.findIndex((e) => e.from === "client" && e.message.method === method);
    const answer = entries.findIndex(
      (e, i) => i > request && e.from === "agent" && isAnswer(e.message, entries[request]),
    );
    return entries.slice(request, answer).flatMap((entry) => asUpdate(entry, sessionId));
  }
  updatesSince(since, sessionId) {
    return this.transcript.entries.slice(since).flatMap((entry) => asUpdate(entry, sessionId));
  }

  // The first update, from `since` on, for which the predicate holds; it may be yet to come.
  async update(predicate, what, since = 0) {
    const entry = await this.transcript.until(
      (entry) => asUpdate(entry).some(predicate),
      `an update: ${what}`,
      since,
    );
    return entry.message.params.update;
  }

  // What the agent asked of the client.
  calls(method, since = 0) {
    return this.transcript.entries
      .slice(since)
      .filter(({ from, message }) => from === "agent" && message.method === method)
      .map(({ message }) => message.params);
  }

  // Whatever the agent sent before it got this has arrived.
  barrier() {
    return this.request("session/list", {});
  }

  // The agent must end by itself when its input does. Its exit code, or the signal's name.
  async end() {
    this.child.stdin.end();
    const [code, signal] = await within(this.exited, "the agent's end after its input was closed");
    this.terminals.end();
    return signal ?? code;
  }

  async kill() {
    this.killed = true;
    this.terminals.end();
    this.child.kill("SIGKILL");
    await within(this.exited, "the end of a killed agent");
  }

  get output() {
    return Buffer.concat(this.stdout);
  }

  // What complete lines of output said: what the client has got for certain.
  messages() {
    const lines = this.output.toString("utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }
  reported(sessionId) {
    return this.messages()
      .filter(({ method, params }) => method === "session/update" && params.sessionId === sessionId)
      .map(({ params }) => params.update);
  }
}

function asUpdate({ from, message }, sessionId) {
  if (from !== "agent" || message.method !== "session/update") return [];
  if (sessionId !== undefined && message.params.sessionId !== sessionId) return [];
  return [message.params.update];
}
