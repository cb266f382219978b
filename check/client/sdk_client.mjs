// A client on the official SDK, as one writes it from its documentation: it starts the agent, offers files,
// terminals and elicitation, says hello, and ends. SIGINT cancels.
//   node sdk_client.mjs COMMAND…
// With ACP_URL in its environment it connects to an agent there.
import { spawn } from "node:child_process";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { Readable, Writable } from "node:stream";

import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { client, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";

import { Terminals } from "./sdk_terminals.mjs";

const [program, ...args] = process.argv.slice(2);
const cwd = process.cwd();
const terminals = new Terminals();

async function inside(path, exists) {
  if (!isAbsolute(path)) throw RequestError.invalidParams({ path });
  const real = exists
    ? await realpath(path).catch(() => { throw RequestError.resourceNotFound(path); })
    : resolve(await realpath(dirname(path)), path);
  if (!resolve(real).startsWith(cwd + "/")) throw RequestError.invalidParams({ path, reason: "outside" });
  return real;
}

async function read({ path, line, limit }) {
  const real = await inside(path, true);
  const text = await readFile(real, "utf8").catch((error) => { throw RequestError.invalidParams({ code: error.code }); });
  if (line == null && limit == null) return { content: text };
  const start = Math.max(line ?? 1, 1) - 1;
  return { content: text.split(/(?<=\n)/).slice(start, limit == null ? undefined : start + limit).join("") };
}

async function write({ path, content }) {
  await writeFile(await inside(path, false), content);
  return {};
}

// Somebody who says yes, if that is offered.
let cancelled = false;
function permission({ options }) {
  const yes = options.find(({ kind }) => kind === "allow_once");
  if (cancelled || !yes) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: yes.optionId } };
}

function elicitation({ mode }) {
  if (mode !== "form") throw RequestError.invalidParams({ mode });
  return { action: "accept", content: { name: "Ada" } };
}

// The agent's stream, and how it is left.
function start() {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((done) => child.on("exit", done));
  child.stdin.on("error", () => {});
  const leave = async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill("SIGKILL"), 1000);
    await exited;
    clearTimeout(late);
  };
  return { stream: ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), leave };
}
function reach(url) {
  const stream = url.startsWith("ws") ? createWebSocketStream(url) : createHttpStream(url);
  return { stream, leave: async () => {} };
}
const { stream, leave } = process.env.ACP_URL ? reach(process.env.ACP_URL) : start();

const app = client({ name: "sdk-client" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => permission(params))
  .onRequest(methods.client.fs.readTextFile, ({ params }) => read(params))
  .onRequest(methods.client.fs.writeTextFile, ({ params }) => write(params))
  .onRequest(methods.client.terminal.create, ({ params }) => terminals.create(params, cwd))
  .onRequest(methods.client.terminal.output, ({ params }) => terminals.output(params))
  .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.wait(params))
  .onRequest(methods.client.terminal.kill, ({ params }) => terminals.kill(params))
  .onRequest(methods.client.terminal.release, ({ params }) => terminals.release(params))
  .onRequest(methods.client.elicitation.create, ({ params }) => elicitation(params))
  .onNotification(methods.client.session.update, ({ params }) => {
    if (params.update.sessionUpdate === "agent_message_chunk" && params.update.content.type === "text")
      process.stdout.write(params.update.content.text);
  });

async function newSession(agent, authMethods) {
  const params = { cwd, mcpServers: [] };
  try {
    return await agent.request("session/new", params);
  } catch (error) {
    if (error.code !== -32000 || !authMethods?.length) throw error;
    await agent.request("authenticate", { methodId: authMethods[0].id });
    return agent.request("session/new", params);
  }
}

async function talk(agent) {
  const { protocolVersion, authMethods } = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, elicitation: { form: {} } },
    clientInfo: { name: "sdk-client", version: "1" },
  });
  if (protocolVersion !== PROTOCOL_VERSION) throw new Error(`the agent speaks version ${protocolVersion}`);
  const { sessionId } = await newSession(agent, authMethods);
  process.on("SIGINT", () => {
    cancelled = true;
    agent.notify("session/cancel", { sessionId });
  });
  const { stopReason } = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
  return stopReason;
}

let code = 0;
const connection = app.connect(stream);
try {
  const stopReason = await talk(connection.agent);
  if (stopReason !== "end_turn") console.error(`\nthe turn ended with ${stopReason}`);
} catch (error) {
  console.error(error.message);
  code = 1;
}
terminals.end();
if (process.env.ACP_URL) {
  connection.close();
  await connection.closed.catch(() => {});
}
await leave();
process.exit(code);
