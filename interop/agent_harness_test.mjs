// The harness of agent_test.mjs on itself: an agent that is known is driven by it without complaint,
// and what its validators must see, they see. `agent_harness_test.mjs ECHO_AGENT`
import assert from "node:assert/strict";
import { resolve } from "node:path";

import { Sdk } from "../acp/schema/agreement/sdk.mjs";
import { ALL, capabilitiesOf } from "./agent/editor.mjs";
import { Stage } from "./agent/stage.mjs";
import { problemsOf } from "./agent/validators.mjs";
import { said, story, toolCalls } from "./agent/views.mjs";
import { within } from "./deadline.mjs";

const program = resolve(process.argv[2]);
const schema = await Sdk.load("v1", true);

// ---- a wire, written by hand: a turn without fault, and one fault at a time

const update = (u) => ({
  from: "agent",
  message: { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: u } },
});
const call = (more) => update({ sessionUpdate: "tool_call", toolCallId: "c", title: "t", ...more });
const then = (more) => update({ sessionUpdate: "tool_call_update", toolCallId: "c", ...more });
const text = (words) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
const ask = (id, method, params) => ({
  from: "agent",
  message: { jsonrpc: "2.0", id, method, params: { sessionId: "s", ...params } },
});
const reply = (id, result) => ({ from: "client", message: { jsonrpc: "2.0", id, result } });
const PROMPT = {
  from: "client",
  message: {
    jsonrpc: "2.0",
    id: 1,
    method: "session/prompt",
    params: { sessionId: "s", prompt: [] },
  },
};
const ANSWER = {
  from: "agent",
  message: { jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } },
};
const permission = ask(9, "session/request_permission", {
  toolCall: { toolCallId: "c" },
  options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
});
const allowed = reply(9, { outcome: { outcome: "selected", optionId: "y" } });
const terminal = [ask(7, "terminal/create", { command: "x" }), reply(7, { terminalId: "t1" })];
const release = [ask(8, "terminal/release", { terminalId: "t1" }), reply(8, {})];
const run = [call(), permission, allowed, then({ status: "in_progress" })];
const GOOD = [
  PROMPT,
  text("a"),
  ...run,
  ...terminal,
  ...release,
  then({ status: "completed" }),
  ANSWER,
];

const FAULTS = {
  "an update outside of a turn": [PROMPT, ANSWER, text("late")],
  "is no SessionNotification": [PROMPT, text(7), ANSWER],
  "0 answers": [PROMPT],
  "was never announced": [PROMPT, then({ status: "in_progress" }), ANSWER],
  "is pending after the turn's end": [PROMPT, call(), ANSWER],
  "goes on after failed": [
    PROMPT,
    call(),
    then({ status: "failed" }),
    then({ title: "x" }),
    ANSWER,
  ],
  "never in_progress": [PROMPT, call(), then({ status: "completed" }), ANSWER],
  "from in_progress to pending": [PROMPT, ...run, then({ status: "pending" }), ANSWER],
  "a second tool_call": [PROMPT, ...run, call({ status: "in_progress" }), ANSWER],
  "when it was announced": [PROMPT, call({ status: "completed" }), ANSWER],
  "permission was asked for c": [PROMPT, permission, allowed, ANSWER],
  "a location: the path": [
    PROMPT,
    call({ locations: [{ path: "a" }] }),
    then({ status: "failed" }),
    ANSWER,
  ],
  "with the line 0": [
    PROMPT,
    call({ locations: [{ path: "/a", line: 0 }] }),
    then({ status: "failed" }),
    ANSWER,
  ],
  "a diff: the path": [
    PROMPT,
    call({ content: [{ type: "diff", path: "a", newText: "" }] }),
    then({ status: "failed" }),
    ANSWER,
  ],
  "was never released": [PROMPT, ...terminal, ANSWER],
  "outlives its turn": [PROMPT, ...terminal, ANSWER, ...release],
  "was released before that": [
    PROMPT,
    ...terminal,
    ...release,
    call({ content: [{ type: "terminal", terminalId: "t1" }] }),
    then({ status: "failed" }),
    ANSWER,
  ],
  "is shown, but was never created": [
    PROMPT,
    call({ content: [{ type: "terminal", terminalId: "t9" }] }),
    then({ status: "failed" }),
    ANSWER,
  ],
};

const judged = (entries, capabilities = ALL, output = "") => {
  const wire = { entries };
  return problemsOf({ transcript: wire, wire, capabilities, output: Buffer.from(output) }, schema);
};
const expects = (problems, part) =>
  assert.ok(
    problems.some((each) => each.includes(part)),
    `${part}: ${JSON.stringify(problems)}`,
  );

function validators() {
  assert.deepEqual(judged(GOOD), []);
  for (const [part, entries] of Object.entries(FAULTS)) expects(judged(entries), part);
  expects(judged(GOOD, capabilitiesOf(true, true, false)), "terminal/create was not advertised");
  const notice = update({ sessionUpdate: "notice", severity: "info", title: "x" });
  assert.deepEqual(judged([PROMPT, notice, ANSWER]), []);
  expects(judged([PROMPT, notice, ANSWER], {}), "notice was not advertised");
  expects(judged([], ALL, "a banner\n"), "no JSON");
  expects(judged([], ALL, '{"jsonrpc":"2.0"}'), "the output ends in");
}

// ---- the echo agent, driven by an editor of the harness

async function echo() {
  const stage = await Stage.open({ program, api: "openai", schema, subcommand: [] });
  try {
    const editor = await stage.begin();
    assert.equal(said((await editor.turn("hello")).updates), "hello");
    const [tool] = toolCalls((await editor.turn("tool")).updates);
    assert.deepEqual(tool.statuses, ["pending", "in_progress", "completed"]);
    const notes = stage.place.path("notes.txt");
    editor.buffers.unsaved.set(notes, "not saved\n");
    assert.equal(said((await editor.turn(`read ${notes}`)).updates), "not saved\n");
    await editor.turn(`write ${notes} saved`);
    assert.equal(stage.place.read("notes.txt"), "saved");
    assert.equal(said((await editor.turn("run echo out; exit 3")).updates), "out\n[3]");
    for (const word of ["allow_once", "reject_once"]) {
      editor.permissions.then(word);
      const { updates } = await editor.turn("permission-all");
      assert.ok(said(updates).includes(word.replace("_", "-")), said(updates));
    }
    assert.equal(editor.permissions.asked.length, 2);
    assert.deepEqual(story((await editor.turn("hello")).updates), [
      { kind: "agent", text: "hello" },
    ]);
    assert.equal(await editor.end(), 0);
    const second = await stage.begin();
    await second.kill();
    assert.ok(second.output.length > 0);
  } finally {
    await stage.close();
  }
}

for (const [name, test] of Object.entries({ validators, echo })) {
  await within(Promise.resolve().then(test), name);
  console.log(`ok ${name}`);
}
