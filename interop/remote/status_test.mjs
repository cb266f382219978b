// Every answer of a server's transport: `status_test.mjs OUR_SERVER ECHO_AGENT`. The official
// SDK's server runs through the same table first, so that the table is its reading, not ours.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

import { WebSocket } from "ws";

import { within } from "../deadline.mjs";
import { firstLine } from "../sdk_client.mjs";

const [ourServer, echoAgent] = process.argv.slice(2);
const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { accept: "text/event-stream" };

const initialize = (id = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
});
const call = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
const newSession = call(2, "session/new", { cwd: "/", mcpServers: [] });

class Server {
  constructor(name, command) {
    this.name = name;
    this.child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  }
  async address() {
    this.url = await within(firstLine(this.child.stdout), "the server's address");
  }
  fetch(method, { body, headers = {} } = {}) {
    const signal = AbortSignal.timeout(20_000);
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return fetch(this.url, { method, headers, body: text, signal });
  }
  post(body, headers = {}) {
    return this.fetch("POST", { body, headers: { ...JSON_TYPE, ...headers } });
  }
  // The headers of a new connection.
  async connect() {
    const answer = await this.post(initialize());
    assert.equal(answer.status, 200);
    await answer.text();
    return { "acp-connection-id": answer.headers.get("acp-connection-id") };
  }
  async end() {
    const exited = once(this.child, "exit");
    this.child.stdin.end();
    const [code] = await within(exited, "the server's end");
    assert.equal(code, 0, `${this.name}: its exit code`);
  }
}

async function expect(answer, status, text) {
  const { status: seen } = await answer;
  const body = await (await answer).text();
  assert.equal(seen, status, `${seen} ${body}`);
  if (text instanceof RegExp) assert.match(body, text);
  else if (text !== undefined) assert.equal(body, text);
  return answer;
}

// Reads events until one of them is wanted.
async function* events(answer) {
  let text = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = text.slice(0, end);
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
  }
}
async function answerTo(id, answer) {
  for await (const message of events(answer))
    if (message.id === id && !("method" in message)) return message;
  assert.fail(`the stream ended before the answer to ${id}`);
}

// A session, and the headers of its stream.
async function openSession(server) {
  const connection = await server.connect();
  const stream = await server.fetch("GET", { headers: { ...EVENTS, ...connection } });
  await expect(server.post(newSession, connection), 202, "");
  const { result } = await within(answerTo(2, stream), "the session");
  const session = { ...connection, "acp-session-id": result.sessionId };
  return { connection, session, sessionId: result.sessionId };
}

const HTTP = {
  "POST without JSON's media type": async (s) => {
    await expect(s.fetch("POST", { body: initialize() }), 415, "Unsupported Media Type");
    const plain = { "content-type": "text/plain" };
    await expect(s.fetch("POST", { body: initialize(), headers: plain }), 415);
    const loud = { "content-type": "Application/JSON ; charset=utf-8" };
    await expect(s.fetch("POST", { body: initialize(), headers: loud }), 200);
  },
  "POST of a body that is too large": async (s) => {
    const huge = `"${"x".repeat(17 * 1024 * 1024)}"`;
    const answer = await s.post(huge).catch((error) => error);
    // The connection may be closed before the body has been sent.
    if (answer instanceof Error) assert.match(String(answer.cause ?? answer), /EPIPE|ECONNRESET|closed/);
    else await expect(answer, 413);
  },
  "POST of what is no message": async (s) => {
    await expect(s.post("{"), 400, "Invalid JSON");
    await expect(s.post("[]"), 400, /"code":-32600,"message":"Invalid request: JSON-RPC batches/);
    await expect(s.post("5"), 400, "Invalid JSON-RPC message");
    await expect(s.post("null"), 400, "Invalid JSON-RPC message");
  },
  initialize: async (s) => {
    const answer = await s.post(initialize(7));
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type"), /^application\/json/);
    assert.match(
      answer.headers.get("acp-connection-id"),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const { id, result } = await answer.json();
    assert.equal(id, 7);
    assert.equal(result.protocolVersion, 1);
  },
  "initialize that is refused by the agent": async (s) => {
    const answer = await s.post({ ...initialize(), params: { protocolVersion: "x" } });
    assert.equal(answer.status, 200);
    assert.ok(answer.headers.get("acp-connection-id"));
    assert.ok((await answer.json()).error);
  },
  "initialize without an id": async (s) => {
    const { id, ...without } = initialize();
    await expect(s.post(without), 400);
    await expect(s.post(initialize(null)), 400, "Initialize request must include an ID");
  },
  "initialize twice": async (s) => {
    const connection = await s.connect();
    const text = "Initialize not allowed on existing connection";
    await expect(s.post(initialize(2), connection), 400, text);
  },
  "POST to no connection": async (s) => {
    await expect(s.post(newSession), 400, "Missing Acp-Connection-Id");
    const nobody = { "acp-connection-id": "nobody" };
    await expect(s.post(newSession, nobody), 404, "Unknown Acp-Connection-Id");
  },
  "POST for a session": async (s) => {
    const { connection, session, sessionId } = await openSession(s);
    const missing = "Missing Acp-Session-Id";
    for (const method of ["cancel", "close", "delete", "fork", "load", "prompt", "resume"])
      await expect(s.post(call(3, `session/${method}`, {}), connection), 400, missing);
    for (const method of ["set_config_option", "set_mode", "set_model"])
      await expect(s.post(call(3, `session/${method}`, {}), connection), 400, missing);
    await expect(s.post(call(3, "_x", { sessionId }), connection), 400, missing);
    const other = { ...connection, "acp-session-id": "other" };
    const mismatched = "Mismatched Acp-Session-Id";
    await expect(s.post(call(3, "_x", { sessionId }), other), 400, mismatched);
    const prompt = { sessionId, prompt: [{ type: "text", text: "hello" }] };
    await expect(s.post(call(4, "session/prompt", prompt), session), 202, "");
    const stream = await s.fetch("GET", { headers: { ...EVENTS, ...session } });
    const { result } = await within(answerTo(4, stream), "the answer to the prompt");
    assert.equal(result.stopReason, "end_turn");
  },
  "POST with an id that is too long": async (s) => {
    const connection = await s.connect();
    await expect(s.post(call("x".repeat(1025), "_x", {}), connection), 400);
    await expect(s.post(call("x".repeat(1024), "_x", {}), connection), 202);
    await expect(s.post(call(1, "_x", { sessionId: "x".repeat(1025) }), connection), 400);
  },
  "GET without its media type": async (s) => {
    const connection = await s.connect();
    await expect(s.fetch("GET", { headers: { ...connection, accept: "text/html" } }), 406);
  },
  "GET to no connection": async (s) => {
    await expect(s.fetch("GET", { headers: EVENTS }), 400);
    await expect(s.fetch("GET", { headers: { ...EVENTS, "acp-connection-id": "nobody" } }), 404);
  },
  "GET twice": async (s) => {
    const connection = await s.connect();
    const headers = { ...EVENTS, ...connection };
    const first = await s.fetch("GET", { headers });
    assert.equal(first.status, 200);
    assert.match(first.headers.get("content-type"), /^text\/event-stream/);
    assert.match(first.headers.get("cache-control"), /no-cache/);
    await expect(s.fetch("GET", { headers }), 409, "Outbound stream already has an active receiver");
    // Any session may be asked for.
    const session = { ...headers, "acp-session-id": "unknown" };
    const other = await s.fetch("GET", { headers: session });
    assert.equal(other.status, 200);
    await expect(s.fetch("GET", { headers: session }), 409);
    await first.body.cancel();
    await other.body.cancel();
  },
  DELETE: async (s) => {
    await expect(s.fetch("DELETE"), 400);
    await expect(s.fetch("DELETE", { headers: { "acp-connection-id": "nobody" } }), 404);
    const connection = await s.connect();
    const stream = await s.fetch("GET", { headers: { ...EVENTS, ...connection } });
    await expect(s.fetch("DELETE", { headers: connection }), 202);
    await within(stream.text().catch(() => {}), "the end of the stream");
    await expect(s.post(newSession, connection), 404);
  },
  "other verbs": async (s) => {
    for (const method of ["PUT", "PATCH", "OPTIONS"]) await expect(s.fetch(method), 405);
  },
  "answers of the client": async (s) => {
    const { connection, session, sessionId } = await openSession(s);
    const prompt = { sessionId, prompt: [{ type: "text", text: "permission" }] };
    const stream = await s.fetch("GET", { headers: { ...EVENTS, ...session } });
    await expect(s.post(call(3, "session/prompt", prompt), session), 202);
    for await (const message of events(stream)) {
      if (message.id === 3) break;
      if (message.method !== "session/request_permission") continue;
      const answer = { jsonrpc: "2.0", id: message.id, result: { outcome: { outcome: "cancelled" } } };
      await expect(s.post(answer, connection), 400, "Missing Acp-Session-Id");
      const other = { ...connection, "acp-session-id": "other" };
      await expect(s.post(answer, other), 400, "Mismatched Acp-Session-Id");
      await expect(s.post(answer, session), 202);
    }
  },
};

// ---- WebSocket

async function open(s) {
  const socket = new WebSocket(s.url.replace("http", "ws"));
  socket.messages = [];
  socket.on("message", (data) => socket.messages.push(JSON.parse(data)));
  socket.closed = once(socket, "close").then(([code, reason]) => [code, String(reason)]);
  const both = Promise.all([once(socket, "upgrade"), once(socket, "open")]);
  const [[response]] = await within(both, "the WebSocket");
  socket.id = response.headers["acp-connection-id"];
  return socket;
}
async function next(socket) {
  if (socket.messages.length === 0)
    await within(once(socket, "message"), "a message over the WebSocket");
  return socket.messages.shift();
}
const say = (socket, message) =>
  socket.send(typeof message === "string" ? message : JSON.stringify(message));

const WEBSOCKET = {
  "names its connection": async (s) => {
    const socket = await open(s);
    assert.match(socket.id, /^[0-9a-f-]{36}$/);
    socket.close();
    await within(socket.closed, "the close");
  },
  "before initialize": async (s) => {
    const socket = await open(s);
    socket.send(Buffer.from("{"), { binary: true }); // ignored
    say(socket, '{"jsonrpc":"2.0","id":1,"result":{}}'); // ignored
    say(socket, "{");
    const notJson = await next(socket);
    assert.deepEqual([notJson.id, notJson.error.code], [null, -32700]);
    for (const text of ["[]", "5"]) {
      say(socket, text);
      const refused = await next(socket);
      assert.deepEqual([refused.id, refused.error.code], [null, -32600]);
    }
    say(socket, newSession);
    assert.deepEqual(await within(socket.closed, "the close"), [
      1002,
      "First message must be initialize",
    ]);
  },
  "initialize without an id": async (s) => {
    const socket = await open(s);
    say(socket, initialize(null));
    const [code] = await within(socket.closed, "the close");
    assert.equal(code, 1002);
  },
  "initialize twice": async (s) => {
    const socket = await open(s);
    say(socket, initialize());
    assert.equal((await next(socket)).result.protocolVersion, 1);
    say(socket, initialize(2));
    const refused = await next(socket);
    assert.equal(refused.error.code, -32600);
    assert.match(refused.error.message, /Initialize not allowed on existing connection/);
    say(socket, newSession);
    assert.ok((await next(socket)).result.sessionId);
    socket.close();
    await within(socket.closed, "the close");
  },
};

// ---- both servers

let failed = 0;
for (const server of [
  new Server("SDK", ["node", "interop/sdk_agent.mjs", "serve"]),
  new Server("ours", [ourServer, echoAgent]),
]) {
  await server.address();
  for (const [transport, table] of Object.entries({ HTTP, WEBSOCKET }))
    for (const [row, run] of Object.entries(table)) {
      try {
        await run(server);
      } catch (error) {
        ++failed;
        console.log(`FAILED ${server.name}, ${transport}, ${row}: ${error.stack}\n`);
      }
    }
  await server.end().catch((error) => (++failed, console.log(`FAILED ${error.stack}`)));
}
const rows = Object.keys(HTTP).length + Object.keys(WEBSOCKET).length;
console.log(`${rows} rows, two servers: ${failed} failures`);
process.exit(failed === 0 ? 0 : 1);
