// The examples of one source file each, compiled once, between peers on the official SDK that speak
// version 1, and its draft of version 2: `one_source_test.mjs WORKSPACE_CLIENT WORKER_AGENT`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import * as sdk from "@agentclientprotocol/sdk";

import { within } from "../deadline.mjs";
import { Editor } from "../sdk_client.mjs";

const [workspaceClient, workerAgent] = process.argv.slice(2);
process.env.ACP_V2 = "1"; // for what is started here
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const AGENTS = { 1: here("../sdk_agent.mjs"), 2: here("sdk_agent.mjs") };

// What the client shows of a prompt to the agent of that version, with this choice in its question.
async function converse(version, prompt, choice = "") {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "acp-one-source-")));
  try {
    writeFileSync(join(cwd, "notes.txt"), "inside\n");
    const words = [prompt.replaceAll("CWD", cwd), process.execPath, AGENTS[version]];
    const running = promisify(execFile)(workspaceClient, words, { cwd });
    running.child.stdin.end(choice);
    const { stdout } = await within(running, `the client's turn: ${prompt}`);
    return stdout;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const shows = async (version, prompt, expected, choice) =>
  assert.match(await converse(version, prompt, choice), expected, `version ${version}: ${prompt}`);

for (const version of [1, 2]) {
  await shows(version, "content", /text/);
  await shows(version, "updates", /\[Reading\]/);
  const question = version === 1 ? "permission" : "permission-all";
  await shows(version, question, /4\) allow_once[^]*\ballow_once\n/, "4\n");
  await shows(version, question, /2\) reject_once[^]*\breject_once\n/, "2\n");
}
// What only clients of version 1 have.
await shows(1, "read CWD/notes.txt", /inside\n/);
await shows(1, "read /etc/passwd", /-32/);
await shows(1, "terminal echo from a terminal", /from a terminal/);

// The agent, with a client of version 1 that has files and commands; tools_test.mjs is version 2.
const editor = await Editor.open({ sdk, program: workerAgent });
try {
  assert.equal((await editor.initialize()).protocolVersion, 1);
  await editor.newSession();
  for (const [word, said] of [
    ["read notes.txt", "one\ntwo\nthree\nfour\n"],
    ["write new.txt some text", "written"],
    ["run echo out", "exit code 0"],
    ["watch echo out", "watching"],
  ]) {
    const { text, updates, stopReason } = await editor.turn(word);
    assert.deepEqual({ text, stopReason }, { text: said, stopReason: "end_turn" }, word);
    assert.equal(updates.filter(({ status }) => status === "completed").length, 1, word);
  }
  assert.equal(editor.files.get("/project/project/new.txt"), "some text");
  assert.equal(await editor.end(), 0);
} finally {
  editor.kill();
}
console.log("workspace_client and worker_agent speak both versions with the SDK");
