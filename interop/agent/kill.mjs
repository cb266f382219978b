// kill -9 at random moments: all that had been reported is there when the session is loaded.
import assert from "node:assert/strict";

import { Random } from "../model/random.mjs";
import { story, toolCalls } from "./views.mjs";

// Fewer on version 2: what is stored is the same.
const roundsOn = ({ version }) => (version === 1 || process.env.ACP_LONG ? 100 : 10);
const call = (name, args) => ({ toolCalls: [{ name, arguments: args }] });
const plan = (status) => call("plan", { entries: [{ content: "Fix", status, priority: "high" }] });
const STORY = "Once upon a time there was a fox 🦊, and it wrote tests. ".repeat(4);

const answers = (seed) => [
  { thought: STORY, text: STORY, ...plan("in_progress"), seed },
  {
    toolCalls: ["notes.txt", "src/main.c", "none.txt"].map((path) => ({
      name: "read",
      arguments: { path },
    })),
    interleaved: true,
    seed,
  },
  { text: STORY, ...call("write", { path: `${seed}.txt`, content: STORY }), seed },
  { ...call("run", { command: "echo one; echo two" }), seed },
  { ...plan("completed"), seed },
  { text: STORY + STORY, seed },
];

const ENDED = ["completed", "failed"];

// A tool call that had not ended may have gone on, or have failed with its process.
function checkCall(before, after, what) {
  assert.ok(after, `${what} is there`);
  for (const field of ["kind", "title"])
    if (ENDED.includes(before.status)) assert.equal(after[field], before[field], what);
  assert.ok(ENDED.includes(after.status), `${what} has ended: ${after.status}`);
  if (!ENDED.includes(before.status)) return;
  for (const field of ["status", "rawInput", "rawOutput", "locations"])
    assert.deepEqual(after[field], before[field], `${field} of ${what}`);
  // A terminal's output is replayed as text.
  if ((before.content ?? []).some(({ type }) => type === "terminal")) return;
  assert.deepEqual(after.content, before.content, `content of ${what}`);
}

// Each item that was reported is replayed in its place; the last text may have become longer.
function checkReplay(before, after, seed) {
  const calls = new Map(toolCalls(after).map((each) => [each.toolCallId, each]));
  for (const each of toolCalls(before)) checkCall(each, calls.get(each.toolCallId), each.title);
  const told = story(before).filter(({ kind }) => kind !== "user");
  const replayed = story(after).filter(({ kind }) => kind !== "user");
  for (const [i, item] of told.entries()) {
    const what = `seed ${seed}, item ${i} of ${told.length}`;
    const same = replayed[i];
    assert.equal(
      same?.kind,
      item.kind,
      `${what}: ${JSON.stringify(replayed.map(({ kind }) => kind))}`,
    );
    if (item.text !== undefined && i === told.length - 1)
      assert.ok(same.text.startsWith(item.text), `${what}: ${item.text} | ${same.text}`);
    else if (item.text !== undefined) assert.equal(same.text, item.text, what);
    else if (item.kind === "plan") assert.deepEqual(same.entries, item.entries, what);
    else assert.equal(same.call.toolCallId, item.call.toolCallId, what);
  }
}

// Plays a turn and kills the agent in it, by what the model has sent or by what the client has seen.
async function killedTurn(stage, editor, seed, size) {
  const random = new Random(seed);
  let kill;
  const killed = new Promise((resolve) => (kill = resolve)).then(() => editor.kill());
  if (seed % 2 === 0) {
    let pieces = random.integer(1, size.pieces);
    const script = answers(seed);
    stage.script(script.map((each) => ({ ...each, onPiece: () => --pieces === 0 && kill() })));
  } else {
    let bytes = random.integer(1, size.bytes);
    editor.onBytes = ({ length }) => (bytes -= length) <= 0 && kill();
    stage.script(answers(seed));
  }
  editor.prompt("Fix the notes").then(kill, () => {});
  await killed;
}

async function measured(stage) {
  const editor = await stage.begin({ mode: "code" });
  const size = { pieces: 0, bytes: -editor.output.length };
  stage.script(answers(0).map((each) => ({ ...each, onPiece: () => ++size.pieces })));
  const { stopReason } = await editor.turn("Fix the notes");
  assert.equal(stopReason, "end_turn");
  size.bytes += editor.output.length;
  return size;
}

async function play(stage) {
  const size = await measured(stage);
  let editor = await stage.start({ mode: "code" });
  let halfway = 0;
  const rounds = roundsOn(stage);
  for (let seed = 1; seed <= rounds; ++seed) {
    await editor.newSession();
    const { sessionId } = editor;
    await killedTurn(stage, editor, seed, size);
    const before = editor.reported(sessionId);
    stage.editors.splice(stage.editors.indexOf(editor), 1);
    editor = await stage.start({ mode: "code" });
    const { updates } = await editor.open("session/load", sessionId);
    checkReplay(before, updates, seed);
    // An agent that was killed before it had read the prompt has reported nothing of the turn.
    if (before.some(({ sessionUpdate }) => sessionUpdate !== "available_commands_update"))
      assert.equal(updates.find(isUser)?.content.text, "Fix the notes", `seed ${seed}`);
    if (toolCalls(before).length < 7) ++halfway;
    // And the model gets a conversation that it accepts.
    stage.script([{ text: "Fine." }]);
    assert.equal((await editor.turn("Go on")).stopReason, "end_turn", `seed ${seed}`);
    await editor.request("session/close", { sessionId });
  }
  assert.ok(halfway >= rounds / 4, `${halfway} of ${rounds} were killed before the last tool call`);
}

const isUser = ({ sessionUpdate }) => sessionUpdate === "user_message_chunk";

export const scenarios = [
  {
    name: "kill -9 at random moments: nothing that was reported is lost",
    play,
    minutes: 8,
  },
];
