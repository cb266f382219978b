// Version 2: an agent's work on its own machine, calls that are cancelled alone, and work in the
// background, with a client on the official SDK's draft. `tools_test.mjs WORKER_AGENT [--only NAME]`.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import * as stable from "@agentclientprotocol/sdk/experimental/v2";

import { Sdk } from "../../acp/schema/agreement/sdk.mjs";
import { fails, within } from "../deadline.mjs";
import { shapesOf } from "../rules.mjs";
import { Editor } from "./editor.mjs";

const {
  values: { only },
  positionals: [program],
} = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const schema = await Sdk.load("v2", false);

const of = (kind) => (update) => update.sessionUpdate === kind;
const calls = (updates) => updates.filter(of("tool_call_update"));
const terminals = (updates) => updates.filter(of("terminal_update"));
const states = (updates) => updates.filter(of("state_update"));
const printed = (updates, id) =>
  updates
    .filter((u) => u.sessionUpdate === "terminal_output_chunk" && u.terminalId === id)
    .map(({ data }) => Buffer.from(data, "base64").toString())
    .join("");
const lives = (process) => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${process}/stat`, "utf8"));
  } catch {
    return false;
  }
};
// A command that goes on until it is killed; its process id is in the file `pid`.
const ENDLESS = "echo $$ > pid; echo ready; while :; do sleep 1; done";

class Place {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "acp-tools-")));
  path = (name) => join(this.cwd, name);
  read = (name) => readFileSync(this.path(name), "utf8");
  write = (name, text) => writeFileSync(this.path(name), text);
  process = () => Number(this.read("pid"));
  remove = () => rmSync(this.cwd, { recursive: true });
}

// Begins an endless command, and returns its terminal and its call once it prints.
async function begin(editor, word) {
  const since = editor.mark();
  await editor.prompt(`${word} ${ENDLESS}`);
  const started = await editor.update((u) => of("terminal_update")(u) && u.command, "a terminal", since);
  const { terminalId } = started;
  await editor.update((u) => u.terminalId === terminalId && u.data, "what it prints", since);
  const { toolCallId } = await editor.update(
    (u) => of("tool_call_content_chunk")(u) && u.content.terminalId === terminalId,
    "the call with its terminal",
    since,
  );
  return { since, terminalId, toolCallId };
}

const scenarios = [
  {
    name: "files inside the session's directory, and nowhere else",
    async run(editor, place) {
      place.write("a.txt", "first\n");
      const turn = await editor.turn("read a.txt");
      assert.equal(turn.text, "first\n");
      assert.equal(calls(turn.updates).at(-1).status, "completed");
      assert.equal((await editor.turn("write b.txt second")).text, "written");
      assert.equal(place.read("b.txt"), "second");
      const outside = await editor.turn("read ../a.txt");
      assert.match(outside.text, /^failed: /);
      assert.equal(calls(outside.updates).at(-1).status, "failed");
      assert.equal(outside.stopReason, "end_turn");
    },
  },
  {
    name: "a command is a terminal of the agent's, which the call shows",
    async run(editor, place) {
      const { updates, text } = await editor.turn("run echo out; echo err >&2; exit 3");
      assert.equal(text, "exit code 3");
      const [begins, ends, ...others] = terminals(updates);
      assert.deepEqual(others, []);
      assert.equal(begins.command, "echo out; echo err >&2; exit 3");
      assert.equal(begins.cwd, place.cwd);
      assert.deepEqual(begins.size, { cols: 80, rows: 24 });
      assert.deepEqual(begins.capabilities, { cancel: {} });
      assert.deepEqual(ends, {
        sessionUpdate: "terminal_update",
        terminalId: begins.terminalId,
        exitStatus: { exitCode: 3 },
        capabilities: null,
      });
      assert.equal(printed(updates, begins.terminalId), "out\nerr\n");
      const shown = updates.filter(of("tool_call_content_chunk")).map(({ content }) => content);
      const { terminalId } = shown.find(({ type }) => type === "terminal");
      assert.equal(terminalId, begins.terminalId);
      assert.ok(states(updates).every(({ background }) => background.length === 0));
    },
  },
  {
    name: "tool_call/cancel: the command ends, the call is cancelled, the turn goes on",
    async run(editor, place) {
      const { since, terminalId, toolCallId } = await begin(editor, "run");
      const offered = calls(editor.updatesSince(since)).filter(({ capabilities }) => capabilities);
      assert.deepEqual(offered.map(({ capabilities }) => capabilities), [{ cancel: {} }]);
      const { sessionId } = editor;
      await fails(editor.request("tool_call/cancel", { sessionId, toolCallId: "x" }), -32602);
      assert.deepEqual(await editor.request("tool_call/cancel", { sessionId, toolCallId }), {});
      assert.equal((await editor.idle(since)).stopReason, "end_turn");
      const updates = editor.updatesSince(since);
      assert.equal(calls(updates).at(-1).status, "cancelled");
      assert.equal(calls(updates).at(-1).capabilities, null);
      assert.equal(terminals(updates).at(-1).terminalId, terminalId);
      assert.equal(terminals(updates).at(-1).exitStatus.signal, "SIGKILL");
      assert.ok(!lives(place.process()), "the command has ended");
      await fails(editor.request("tool_call/cancel", { sessionId, toolCallId }), -32602);
    },
  },
  {
    name: "terminal/cancel: the command ends, the call says how",
    async run(editor, place) {
      const { since, terminalId } = await begin(editor, "run");
      const { sessionId } = editor;
      await fails(editor.request("terminal/cancel", { sessionId, terminalId: "x" }), -32602);
      assert.deepEqual(await editor.request("terminal/cancel", { sessionId, terminalId }), {});
      assert.equal((await editor.idle(since)).stopReason, "end_turn");
      const updates = editor.updatesSince(since);
      assert.equal(calls(updates).at(-1).status, "completed");
      assert.ok(updates.some(({ content }) => content?.text === "ended by SIGKILL"));
      assert.ok(!lives(place.process()), "the command has ended");
      await fails(editor.request("terminal/cancel", { sessionId, terminalId }), -32602);
    },
  },
  {
    name: "session/cancel ends the turn's command",
    async run(editor, place) {
      const { since } = await begin(editor, "run");
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      assert.ok(!lives(place.process()), "the command has ended");
      assert.equal(calls(editor.updatesSince(since)).at(-1).status, "cancelled");
    },
  },
  {
    name: "background: listed while it runs, out of session/cancel's reach, until it is cancelled",
    async run(editor, place) {
      const { since, terminalId, toolCallId } = await begin(editor, "watch");
      const work = [{ type: "terminal", terminalId }];
      const idle = await editor.idle(since);
      assert.equal(idle.stopReason, "end_turn");
      // A process is listed as its terminal; before there was one, the call was.
      const isListed = (u) => of("state_update")(u) && u.background.some((one) => one.terminalId);
      const listed = await editor.update(isListed, "the work in the background", since);
      assert.deepEqual(listed.background, work);
      await editor.cancel();
      const next = await editor.turn("read pid");
      assert.ok(lives(Number(next.text)));
      for (const { background } of states(next.updates)) assert.deepEqual(background, work);
      const { sessionId } = editor;
      const marked = editor.mark();
      assert.deepEqual(await editor.request("tool_call/cancel", { sessionId, toolCallId }), {});
      const isOver = (u) => of("state_update")(u) && u.background.length === 0;
      const over = await editor.update(isOver, "its end", marked);
      assert.equal(over.state, "idle");
      assert.ok(!("stopReason" in over));
      const updates = editor.updatesSince(marked);
      assert.equal(calls(updates).at(-1).status, "cancelled");
      assert.equal(terminals(updates).at(-1).exitStatus.signal, "SIGKILL");
      assert.ok(!lives(place.process()), "the command has ended");
    },
  },
  {
    name: "background: what ends by itself says so after idle",
    async run(editor) {
      const since = editor.mark();
      await editor.prompt("watch true");
      const done = await editor.update(
        (u) => of("tool_call_update")(u) && u.status === "completed",
        "the end of the work",
        since,
      );
      const isOver = (u) => of("state_update")(u) && u.state === "idle" && u.background.length === 0;
      await editor.update(isOver, "nothing in the background", since);
      const updates = editor.updatesSince(since);
      const snapshots = states(updates);
      assert.deepEqual(snapshots[0].background, []);
      assert.ok(snapshots.some(({ background }) => background.length === 1));
      assert.ok(updates.findIndex((u) => u === done) < updates.lastIndexOf(snapshots.at(-1)));
    },
  },
  {
    name: "session/close ends what goes on in the background, and says so first",
    async run(editor, place) {
      const { since, toolCallId } = await begin(editor, "watch");
      await editor.idle(since);
      const process = place.process();
      assert.ok(lives(process));
      await editor.request("session/close", { sessionId: editor.sessionId });
      assert.ok(!lives(process), "the command has ended");
      const { entries } = editor.transcript;
      const answer = entries.findLastIndex(({ from, message }) => from === "agent" && "result" in message);
      const ends = entries.findIndex(
        ({ message }) =>
          message.params?.update?.toolCallId === toolCallId &&
          message.params.update.status === "cancelled",
      );
      assert.ok(ends >= 0 && ends < answer, "the call's end stands before the answer");
      assert.equal(answer, entries.length - 1, "nothing follows");
    },
  },
  {
    name: "the end of the connection ends every command",
    async run(editor, place) {
      const { since } = await begin(editor, "watch");
      await editor.idle(since);
      const process = place.process();
      assert.equal(await editor.end(), 0);
      assert.ok(!lives(process), "the command has ended");
    },
    ends: true,
  },
];

const failures = [];
let passed = 0;
for (const { name, ends = false, run } of scenarios) {
  if (only && !name.includes(only)) continue;
  const place = new Place();
  const editor = await Editor.open({ sdk: stable, program });
  try {
    await editor.initialize();
    await editor.newSession({ cwd: place.cwd });
    await within(run(editor, place), "the scenario's end");
    if (!ends) assert.equal(await editor.end(), 0, "the agent's exit code");
    assert.deepEqual(shapesOf(editor.transcript, "agent", schema), []);
    ++passed;
  } catch (error) {
    console.log(`FAILED ${name}: ${error.stack}\n`);
    failures.push(name);
  } finally {
    editor.kill();
    place.remove();
  }
}
console.log(`${passed} scenarios passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
