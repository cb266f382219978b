// `acp tap` between a client and an agent on the official SDK changes nothing: the same transcript
// with it and without. `tap_test.mjs ACP`.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as sdk from "@agentclientprotocol/sdk";

import { Editor } from "./sdk_client.mjs";

const [acp] = process.argv.slice(2);
const agent = [process.execPath, "interop/sdk_agent.mjs"];
const folder = mkdtempSync(join(tmpdir(), "tap_test"));
const log = join(folder, "wire.jsonl");

async function transcriptOf(words) {
  const [program, ...args] = words;
  const editor = await Editor.open({ sdk, program, args, unstable: false });
  editor.answers.permission = ({ options }) => ({
    outcome: { outcome: "selected", optionId: options.at(-1).optionId },
  });
  await editor.initialize();
  await editor.newSession();
  for (const prompt of [
    "hello",
    "content",
    "updates",
    "permission",
    "read /project/project/notes.txt 2 2",
    "write /project/project/new.txt some text",
    "terminal echo one",
    "elicit",
    "stop max_tokens",
    `long ${"x".repeat(300_000)} end`,
  ])
    await editor.turn(prompt);
  await editor.end();
  const said = (side) =>
    editor.transcript.entries.filter(({ from }) => from === side).map(({ message }) => message);
  return { client: said("client"), agent: said("agent") };
}

const bare = await transcriptOf(agent);
const tapped = await transcriptOf([acp, "tap", "--quiet", "--log", log, "--", ...agent]);
assert.ok(bare.agent.length > 40, `only ${bare.agent.length} messages`);
assert.deepEqual(tapped, bare);

// And the recording has all of it.
const lines = readFileSync(log, "utf8").trim().split("\n").map(JSON.parse);
for (const side of ["client", "agent"])
  assert.deepEqual(
    lines.filter(({ from, n }) => n !== undefined && from === side).map(({ frame }) => frame),
    tapped[side],
  );
console.log(
  `the same transcript with and without: ${bare.client.length} messages of the client, ` +
    `${bare.agent.length} of the agent`,
);
