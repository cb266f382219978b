// Our client asks for version 2, the agent speaks version 1: it must use our files and terminals all
// the same. `versions_test.mjs VERSIONS_CLIENT [PART_OF_A_NAME]`
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ModelServer } from "../model_server.mjs";
import { ourClient, SDK_1, SDK_2, served } from "./peers.mjs";

const [program, only = ""] = process.argv.slice(2);
const CLAUDE = [
  process.execPath,
  fileURLToPath(
    new URL("../../node_modules/@zed-industries/claude-code-acp/dist/index.js", import.meta.url),
  ),
];
const FILES = ["fs/read_text_file", "terminal/create"];
const PROMPTS = ["read /project/notes.txt", "terminal echo out"];
const SAID = ["what the editor has\n", "out\n[0]"];

// An agent on the SDK that asks only for what it was offered.
async function ask(options, requested, url) {
  const agent = url ? [url] : [...SDK_1, "careful", ...options];
  const told = await ourClient(program, "both", PROMPTS, agent);
  assert.deepEqual(told.said, SAID, JSON.stringify(told));
  assert.equal(told.version, 1);
  assert.deepEqual(told.asked, FILES);
  assert.deepEqual(told.requested, requested);
  return told;
}

async function overWire(transport, options, requested) {
  const server = await served([...SDK_1, "careful", ...options], transport);
  try {
    return await ask([], requested, server.url);
  } finally {
    await server.end();
  }
}

const scenarios = {
  "a bare agent is asked again in its own words, on the same connection": () => ask([], [2, 1]),
  "behind the SDK's router": () => ask(["router"], [2, 1]),
  "one that refuses a second initialize is started again": () => ask(["once"], [2, 1, 1]),
  "so is one behind the router": () => ask(["router", "once"], [2, 1, 1]),
  "one that ends when it is asked for version 2 is started again": () => ask(["ends-at-2"], [2, 1]),
  "one that answers it with an error is asked again": () => ask(["error-at-2"], [2, 1]),
  // Their transport takes one initialize.
  "behind HTTP it is connected to again": () => overWire("http", [], [2, 1, 1]),
  "behind HTTP and the router": () => overWire("http", ["router"], [2, 1, 1]),
  "behind a WebSocket and the router": () => overWire("ws", ["router"], [2, 1, 1]),
  async "an agent of version 2 has neither files nor terminals of ours"() {
    const told = await ourClient(program, "both", ["read-file"], SDK_2);
    assert.equal(told.version, 2);
    assert.deepEqual(told.requested, [2]);
    assert.deepEqual(told.asked, []);
  },
  async "claude-code-acp"() {
    const model = await ModelServer.start();
    const folder = mkdtempSync(join(tmpdir(), "acp-versions-"));
    const answers = [
      { toolCalls: [{ name: "mcp__acp__Read", arguments: { file_path: "/project/notes.txt" } }] },
      {
        toolCalls: [
          { name: "mcp__acp__Bash", arguments: { command: "echo out", timeout: 60000 } },
        ],
      },
      { text: "Done." },
    ];
    let next = 0;
    // It asks for titles and quotas, too, without tools.
    model.script(({ body }) => (body.tools?.length ? answers[next++] : { text: "none" }));
    const env = {
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "x", IS_SANDBOX: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", HOME: folder },
    };
    try {
      const told = await ourClient(program, "both", ["Read and run"], CLAUDE, { env, cwd: folder });
      assert.equal(told.version, 1, JSON.stringify(told));
      assert.deepEqual(told.asked, FILES);
      assert.deepEqual(told.requested, [2, 1]);
      assert.match(told.said[0], /Done\.$/);
    } finally {
      await model.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

let failures = 0;
const chosen = Object.entries(scenarios).filter(([name]) => name.includes(only));
for (const [name, play] of chosen) {
  try {
    await play();
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
console.log(`${chosen.length - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 && chosen.length > 0 ? 0 : 1;
