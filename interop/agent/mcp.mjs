// Tools of the session's MCP servers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";

import { contentText, said, told, toolCalls } from "./views.mjs";

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("@modelcontextprotocol/server-everything/package.json"));
const EVERYTHING = {
  name: "everything",
  command: process.execPath,
  args: [join(folder, "dist/index.js"), "stdio"],
  env: [],
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

// The same server over HTTP, on a port of its own; gives its address once it listens.
async function serve(transport, path) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(folder, "dist/index.js"), transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await new Promise((resolve, reject) => {
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        printed += data;
        if (printed.includes(String(port))) resolve();
      });
    child.once("exit", () => reject(new Error(`the server ended: ${printed}`)));
  });
  return { child, url: `http://127.0.0.1:${port}${path}` };
}

async function use(stage, editor, name, args) {
  const answers = [{ toolCalls: [{ name, arguments: args }] }, { text: "Done." }];
  const { stopReason, updates } = await stage.play(editor, "Use it", answers);
  assert.equal(stopReason, "end_turn");
  const [call] = toolCalls(updates);
  return { call, result: stage.lastRequest.conversation.lastResults[0].text };
}

export const scenarios = [
  {
    name: "MCP: tools of server-everything, asked for, of kind other",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin({ mode: "code", session: { mcpServers: [EVERYTHING] } });
      const echo = await use(stage, editor, "mcp__everything__echo", { message: "hello 🦊" });
      assert.equal(echo.call.kind, "other");
      assert.equal(echo.call.status, "completed");
      assert.ok(echo.result.includes("hello 🦊"), echo.result);
      assert.ok(contentText(echo.call).includes("hello 🦊"));
      assert.deepEqual(echo.call.rawInput, { message: "hello 🦊" });
      assert.equal(editor.permissions.asked.length, 1);
      const sum = await use(stage, editor, "mcp__everything__get-sum", { a: 20, b: 22 });
      assert.ok(sum.result.includes("42"), sum.result);
      const { toolNames } = stage.lastRequest.conversation;
      assert.ok(toolNames.includes("mcp__everything__echo"), toolNames.join());
      const wrong = await use(stage, editor, "mcp__everything__get-sum", { a: "x" });
      assert.equal(wrong.call.status, "failed");
    },
  },
  {
    name: "MCP: servers over HTTP and over SSE",
    async play(stage) {
      const http = await serve("streamableHttp", "/mcp");
      const sse = await serve("sse", "/sse");
      try {
        const mcpServers = [
          { type: "http", name: "web", url: http.url, headers: [] },
          { type: "sse", name: "old", url: sse.url, headers: [] },
        ];
        const editor = await stage.begin({ mode: "code", session: { mcpServers } });
        for (const name of ["mcp__web__echo", "mcp__old__echo"]) {
          const { call, result } = await use(stage, editor, name, { message: name });
          assert.equal(call.status, "completed");
          assert.ok(result.includes(name), result);
        }
      } finally {
        http.child.kill();
        sse.child.kill();
      }
    },
  },
  {
    name: "MCP: load, resume and fork connect the servers they are given",
    async play(stage) {
      const editor = await stage.begin();
      const { sessionId } = editor;
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      await editor.request("session/close", { sessionId });
      const mcpServers = [EVERYTHING];
      for (const method of ["session/load", "session/resume", "session/fork"]) {
        await editor.open(method, sessionId, { mcpServers });
        const { result } = await use(stage, editor, "mcp__everything__echo", { message: method });
        assert.ok(result.includes(method), result);
        if (method !== "session/fork") await editor.request("session/close", { sessionId });
      }
    },
  },
  {
    name: "MCP: a server that does not start is reported, and stops nothing",
    async play(stage) {
      const broken = { name: "broken", command: "/no/such/program", args: [], env: [] };
      const editor = await stage.begin({ session: { mcpServers: [broken, EVERYTHING] } });
      const answers = [{ text: "Hi." }];
      const { updates } = await stage.play(editor, "Hello", answers);
      assert.ok(said(updates).endsWith("Hi."));
      const all = told(editor.updatesSince(0));
      assert.ok(all.includes("broken"), `said: ${all}`);
      const { toolNames } = stage.lastRequest.conversation;
      assert.ok(toolNames.includes("mcp__everything__echo"), toolNames.join());
    },
  },
];
