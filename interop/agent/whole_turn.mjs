// A turn with all that belongs to one, whatever the client can do.
import assert from "node:assert/strict";

import { capabilitiesOf } from "./editor.mjs";
import { contents, contentText, of, said, thought, toolCalls } from "./views.mjs";

const PLAN = [
  { content: "Look at the notes", status: "in_progress", priority: "high" },
  { content: "Fix them", status: "pending", priority: "medium" },
];
const DONE = PLAN.map((entry) => ({ ...entry, status: "completed" }));

const call = (name, args) => ({ name, arguments: args });

const answers = (word) => [
  { thought: "I need a plan.", text: "Let me see.", toolCalls: [call("plan", { entries: PLAN })] },
  {
    toolCalls: [
      call("read", { path: "notes.txt" }),
      call("grep", { pattern: "int main", path: "src" }),
      call("list", { path: "." }),
    ],
    interleaved: true,
  },
  {
    toolCalls: [
      call("edit", {
        path: "notes.txt",
        edits: [{ old_text: word, new_text: "BETTER" }],
      }),
    ],
  },
  { toolCalls: [call("run", { command: "cat notes.txt; echo to stderr >&2; exit 3" })] },
  { toolCalls: [call("plan", { entries: DONE })] },
  { text: "All is done." },
];

function checkUpdates(updates, { read, terminal }, place) {
  assert.equal(thought(updates), "I need a plan.");
  assert.ok(said(updates).startsWith("Let me see."), said(updates));
  assert.ok(said(updates).endsWith("All is done."), said(updates));
  const plans = of(updates, "plan");
  const entries = ({ entries }) =>
    entries.map(({ content, status, priority }) => ({ content, status, priority }));
  assert.deepEqual(plans.map(entries), [PLAN, DONE]);

  const calls = toolCalls(updates);
  assert.deepEqual(
    calls.map(({ kind }) => kind),
    ["think", "read", "search", "read", "edit", "execute", "think"],
  );
  for (const each of calls) {
    assert.ok(each.title, "a title");
    assert.ok(each.rawInput !== undefined, `raw input of ${each.title}`);
    assert.ok(each.rawOutput !== undefined, `raw output of ${each.title}`);
  }
  const [, reading, search, , edit, run] = calls;
  const notes = place.path("notes.txt");
  assert.equal(reading.locations[0].path, notes);
  assert.deepEqual(search.locations[0], { path: place.path("src/main.c"), line: 2 });
  const [diff] = contents(edit, "diff");
  const before = read ? "alpha\nunsaved\ngamma\n" : "alpha\nbeta\ngamma\n";
  assert.equal(diff.path, notes);
  assert.equal(diff.oldText, before);
  assert.equal(diff.newText, "alpha\nBETTER\ngamma\n");
  assert.deepEqual(edit.locations, [{ path: notes, line: 2 }]);
  if (terminal) assert.equal(contents(run, "terminal").length, 1, "the terminal is embedded");
  else assert.ok(contentText(run).includes("BETTER"), "the output is shown");
}

function checkRequests(requests, { read }) {
  assert.equal(requests.length, 6);
  const results = (number) => requests[number].conversation.lastResults.map(({ text }) => text);
  const [notes, found, listed] = results(2);
  assert.ok(notes.includes(read ? "unsaved" : "beta"), notes);
  assert.ok(found.includes("main.c") && found.includes("2"), found);
  assert.ok(listed.includes("notes.txt") && listed.includes("src"), listed);
  const [output] = results(4);
  assert.ok(output.includes("BETTER"), output);
  assert.ok(output.includes("to stderr"), output);
  assert.match(output, /\b3\b/, "the exit code");
  // What was said before stands in every request, in order.
  const calls = requests[5].conversation.calls.map(({ name }) => name);
  assert.deepEqual(calls, ["plan", "read", "grep", "list", "edit", "run", "plan"]);
}

async function play(stage, { read, write, terminal }) {
  const editor = await stage.begin({ capabilities: capabilitiesOf(read, write, terminal) });
  const notes = stage.place.path("notes.txt");
  if (read) editor.buffers.unsaved.set(notes, "alpha\nunsaved\ngamma\n");
  const script = answers(read ? "unsaved" : "beta");
  const { stopReason, updates } = await stage.play(editor, "Fix the notes", script);
  assert.equal(stopReason, "end_turn");
  checkUpdates(updates, { read, terminal }, stage.place);
  checkRequests(stage.requests, { read });
  assert.deepEqual(editor.permissions.kinds(), ["edit", "execute"]);
  assert.equal(stage.place.read("notes.txt"), "alpha\nBETTER\ngamma\n");
  // Each way was taken where it is there, and not where it is not.
  const used = (method) => editor.calls(method).length > 0;
  assert.equal(used("fs/read_text_file"), read);
  assert.equal(used("fs/write_text_file"), write);
  assert.equal(used("terminal/create"), terminal);
}

const NAMES = ["readTextFile", "writeTextFile", "terminal"];

export const scenarios = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => {
  const [read, write, terminal] = [4, 2, 1].map((bit) => (bits & bit) !== 0);
  const names = NAMES.filter((_, i) => [read, write, terminal][i]);
  return {
    name: `a whole turn with ${names.join(", ") || "no capabilities"}`,
    apis: ["openai", "anthropic"],
    play: (stage) => play(stage, { read, write, terminal }),
  };
});

export const WITH_CAPABILITIES = scenarios.slice(1).map(({ name }) => name);
