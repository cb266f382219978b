// Permission: who is asked, and what each answer does.
import assert from "node:assert/strict";

import { said, toolCalls } from "./views.mjs";

const call = (name, args) => ({ toolCalls: [{ name, arguments: args }] });
const edit = (from, to) =>
  call("edit", { path: "notes.txt", edits: [{ old_text: from, new_text: to }] });

export const scenarios = [
  {
    name: "permission: what is asked shows the call, its diff, and four kinds of answers at most",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "Edit", [edit("beta", "B"), { text: "Done." }]);
      const [{ toolCall, options, sessionId }] = editor.permissions.asked;
      assert.equal(sessionId, editor.sessionId);
      assert.equal(toolCall.kind, "edit");
      const [diff] = toolCall.content.filter(({ type }) => type === "diff");
      assert.equal(diff.newText, "alpha\nB\ngamma\n");
      const kinds = options.map(({ kind }) => kind);
      for (const kind of ["allow_once", "reject_once"]) assert.ok(kinds.includes(kind), kind);
      assert.equal(new Set(options.map(({ optionId }) => optionId)).size, options.length);
    },
  },
  {
    name: "permission: a command's question says that a command can reach anything",
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "Run", [call("run", { command: "echo hi" }), { text: "Done." }]);
      const [{ toolCall }] = editor.permissions.asked;
      const question = JSON.stringify(toolCall);
      assert.ok(question.includes("echo hi"), question);
      assert.match(question, /anything|any file|everything|outside/i);
    },
  },
  {
    name: "permission rejected: the tool has failed, the model reads why, the turn goes on",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then("reject_once", "allow_once");
      const answers = [edit("beta", "B"), edit("beta", "C"), { text: "So be it." }];
      const { stopReason, updates } = await stage.play(editor, "Edit", answers);
      assert.equal(stopReason, "end_turn");
      assert.deepEqual(
        toolCalls(updates).map(({ status }) => status),
        ["failed", "completed"],
      );
      const [first] = stage.requests[1].conversation.lastResults;
      assert.match(first.text, /reject|denied|declin|refus|not allow|permission/i);
      assert.equal(said(updates), "So be it.");
      assert.equal(stage.place.read("notes.txt"), "alpha\nC\ngamma\n");
    },
  },
  {
    name: "permission always given: not asked again in this session",
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then("allow_always");
      const answers = [edit("beta", "B"), edit("B", "C"), { text: "Done." }];
      await stage.play(editor, "Edit", answers);
      await stage.play(editor, "Edit again", [edit("C", "D"), { text: "Done." }]);
      assert.equal(editor.permissions.asked.length, 1);
      assert.equal(stage.place.read("notes.txt"), "alpha\nD\ngamma\n");
      // It was given for edits, not for commands.
      await stage.play(editor, "Run", [call("run", { command: "true" }), { text: "Done." }]);
      assert.equal(editor.permissions.asked.length, 2);
    },
  },
  {
    name: "permission always refused: not asked again, and refused",
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then("reject_always");
      const answers = [edit("beta", "B"), edit("beta", "C"), { text: "Done." }];
      const { stopReason, updates } = await stage.play(editor, "Edit", answers);
      assert.equal(stopReason, "end_turn");
      assert.equal(editor.permissions.asked.length, 1);
      assert.deepEqual(
        toolCalls(updates).map(({ status }) => status),
        ["failed", "failed"],
      );
      assert.equal(stage.place.read("notes.txt"), "alpha\nbeta\ngamma\n");
    },
  },
  {
    name: "a question answered `cancelled` ends the turn: cancelled",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then("cancelled");
      const { stopReason } = await stage.play(editor, "Edit", [edit("beta", "B")]);
      assert.equal(stopReason, "cancelled");
      assert.equal(stage.place.read("notes.txt"), "alpha\nbeta\ngamma\n");
      const again = await stage.play(editor, "Go on", [{ text: "Fine." }]);
      assert.equal(again.stopReason, "end_turn");
    },
  },
  {
    name: "what is read needs no permission",
    async play(stage) {
      const editor = await stage.begin();
      const reads = {
        toolCalls: [
          { name: "read", arguments: { path: "notes.txt" } },
          { name: "list", arguments: {} },
          { name: "glob", arguments: { pattern: "*" } },
          { name: "grep", arguments: { pattern: "a" } },
        ],
      };
      await stage.play(editor, "Look", [reads, { text: "Done." }]);
      assert.deepEqual(editor.permissions.asked, []);
    },
  },
];
