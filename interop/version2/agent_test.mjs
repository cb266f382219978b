// Version 2: a client on the official SDK's draft with our agent. `agent_test.mjs ECHO_AGENT [--only
// NAME]`.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";

import * as stable from "@agentclientprotocol/sdk/experimental/v2";

import { Sdk } from "../../acp/schema/agreement/sdk.mjs";
import { within } from "../deadline.mjs";
import { shapesOf } from "../rules.mjs";
import { scenarios } from "./agent_scenarios.mjs";
import { Editor } from "./editor.mjs";

const {
  values: { only },
  positionals: [program],
} = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const schema = await Sdk.load("v2", false);
const failures = [];
let passed = 0;

for (const { name, args, started = true, run } of scenarios) {
  if (only && !name.includes(only)) continue;
  const editor = Editor.open({ sdk: stable, program, args });
  try {
    if (started) await editor.initialize();
    await within(run(editor), "the scenario's end");
    assert.equal(await editor.end(), 0, "the agent's exit code");
    assert.deepEqual(shapesOf(editor.transcript, "agent", schema), []);
    ++passed;
  } catch (error) {
    console.log(`FAILED ${name}: ${error.stack}\n`);
    failures.push(name);
  } finally {
    editor.kill();
  }
}
console.log(`${passed} scenarios passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
