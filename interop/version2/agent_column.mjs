// Runs every scenario of a version 2 client on the SDK with our agent.
import assert from "node:assert/strict";

import * as sdk from "@agentclientprotocol/sdk/experimental/v2";

import { within } from "../deadline.mjs";
import { scenarios as cancel } from "./agent_cancel.mjs";
import { scenarios as more } from "./agent_more.mjs";
import { scenarios as usual } from "./agent_scenarios.mjs";
import { Editor } from "./editor.mjs";
import { Raw } from "./raw.mjs";

const SCENARIOS = [...more, ...usual, ...cancel];

async function runRaw({ args, run }, { program }) {
  const raw = new Raw({ program, args, env: { ACP_V2: "1" } });
  try {
    await within(run(raw), "the scenario's end");
    assert.equal(await raw.end(), 0, "the agent's exit code");
  } finally {
    raw.kill();
  }
  return Object.assign(raw.transcript, { raw: true });
}

async function runScenario(scenario, options) {
  if (scenario.raw) return runRaw(scenario, options);
  const { args, started = true, run } = scenario;
  const editor = await Editor.open({ ...options, args });
  try {
    if (started) await editor.initialize();
    await within(run(editor), "the scenario's end");
    assert.equal(await editor.end(), 0, "the agent's exit code");
  } finally {
    editor.kill();
  }
  return editor.transcript;
}

// {transcripts, failures, passed}. `whole`: only those that are a whole turn.
export async function runAgainstOurAgent(program, { only, remote, whole } = {}) {
  const result = { transcripts: [], failures: [], passed: 0 };
  for (const scenario of SCENARIOS) {
    if (scenario.stdio && remote) continue;
    if (whole && !scenario.whole) continue;
    if (only && !scenario.name.includes(only)) continue;
    try {
      result.transcripts.push(await runScenario(scenario, { sdk, program, remote }));
      ++result.passed;
    } catch (error) {
      const failure = `${scenario.name}: ${error.stack}`;
      console.log(`FAILED ${failure}\n`); // at once: what waits in vain takes its time
      result.failures.push(failure);
    }
  }
  return result;
}
