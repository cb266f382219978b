// Runs every scenario of an SDK client with our agent, on both entry points of the SDK.
import assert from "node:assert/strict";

import * as stable from "@agentclientprotocol/sdk";
import * as unstable from "@agentclientprotocol/sdk/unstable";

import { scenarios as cancel } from "./client_cancel.mjs";
import { scenarios as sessions } from "./client_sessions.mjs";
import { scenarios as start } from "./client_start.mjs";
import { scenarios as turns } from "./client_turns.mjs";
import { within } from "./deadline.mjs";
import { Editor } from "./sdk_client.mjs";

const SCENARIOS = [...start, ...sessions, ...turns, ...cancel];

async function runScenario({ args, started = true, run }, options) {
  const editors = [];
  const open = async () => {
    const editor = await Editor.open({ ...options, args });
    editors.push(editor);
    return editor;
  };
  try {
    const editor = await open();
    if (started) await editor.initialize();
    await within(run(editor, open), "the scenario's end");
    for (const each of editors) assert.equal(await each.end(), 0, "the agent's exit code");
  } finally {
    for (const each of editors) each.kill();
  }
  return editors.map(({ transcript }) => transcript);
}

// {transcripts, failures, passed}
export async function runAgainstOurAgent(program, { only, remote } = {}) {
  const result = { transcripts: [], failures: [], passed: 0 };
  for (const [entry, sdk] of Object.entries({ ".": stable, "/unstable": unstable })) {
    const options = { sdk, program, remote, unstable: sdk === unstable };
    for (const scenario of SCENARIOS) {
      if (scenario.unstable && !options.unstable) continue;
      if (scenario.stdio && remote) continue;
      if (only && !scenario.name.includes(only)) continue;
      try {
        result.transcripts.push(...(await runScenario(scenario, options)));
        ++result.passed;
      } catch (error) {
        const failure = `${scenario.name} (entry point ${entry}): ${error.stack}`;
        console.log(`FAILED ${failure}\n`); // at once: what waits in vain takes its time
        result.failures.push(failure);
      }
    }
  }
  return result;
}
