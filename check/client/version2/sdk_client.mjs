// A client on the official SDK's draft of version 2: it starts the agent, says hello, and ends when the session is idle
// again. SIGINT cancels.
//   node sdk_client.mjs COMMAND…
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

import { client, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk/experimental/v2";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((done) => child.on("exit", done));
child.stdin.on("error", () => {});

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

// What the session does: the turn is over when it is idle after it has worked.
let session, ran, over;
const ended = new Promise((done) => (over = done));
function state(update) {
  if (update.state !== "idle") ran = true;
  else if (ran) over(update);
}

const app = client({ name: "sdk-client" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => permission(params))
  .onRequest(methods.client.elicitation.create, ({ params }) => elicitation(params))
  .onNotification(methods.client.elicitation.complete, () => {})
  .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
    if (sessionId !== session) return;
    if (update.sessionUpdate === "state_update") state(update);
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      process.stdout.write(update.content.text);
  });

async function newSession(agent, authMethods) {
  const params = { cwd: process.cwd() };
  try {
    return await agent.request("session/new", params);
  } catch (error) {
    if (error.code !== -32000 || !authMethods?.length) throw error;
    await agent.request("auth/login", { methodId: authMethods[0].methodId });
    return agent.request("session/new", params);
  }
}

async function talk(agent) {
  const { protocolVersion, authMethods, capabilities } = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { elicitation: { form: {} } },
    info: { name: "sdk-client", version: "1" },
  });
  if (protocolVersion !== PROTOCOL_VERSION) throw new Error(`the agent speaks version ${protocolVersion}`);
  if (!capabilities?.session) throw new Error("the agent has no sessions");
  ({ sessionId: session } = await newSession(agent, authMethods));
  process.on("SIGINT", () => {
    cancelled = true;
    agent.notify("session/cancel", { sessionId: session });
  });
  try {
    await agent.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text: "hello" }] });
  } catch (error) {
    if (cancelled && error.code === -32800) return { stopReason: "cancelled" };
    throw error;
  }
  return Promise.race([ended, connection.closed.then(() => { throw new Error("the agent has gone"); })]);
}

let code = 0;
const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
try {
  const { stopReason, error } = await talk(connection.agent);
  if (stopReason === "error") throw new Error(error?.message ?? "the turn failed");
  if (stopReason !== "end_turn") console.error(`\nthe turn ended with ${stopReason}`);
} catch (error) {
  console.error(error.message);
  code = 1;
}
child.stdin.end();
const late = setTimeout(() => child.kill("SIGKILL"), 1000);
await exited;
clearTimeout(late);
process.exit(code);
