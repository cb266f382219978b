// How a turn can end.
import assert from "node:assert/strict";

import { Gate } from "../model_server.mjs";
import { of, said, thought, toolCalls } from "./views.mjs";

const BOTH = ["openai", "anthropic"];

export const scenarios = [
  {
    name: "end_turn: text, thoughts and usage are shown",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const answer = {
        thought: "Hm. 🤔",
        text: "Grüße, 世界! 🦊",
        usage: { input: 1234, output: 56 },
        chunking: 7,
      };
      const { stopReason, updates } = await stage.play(editor, "Hello", [answer]);
      assert.equal(stopReason, "end_turn");
      assert.equal(said(updates), answer.text);
      assert.equal(thought(updates), answer.thought);
      const [usage] = of(updates, "usage_update").slice(-1);
      if (usage) assert.ok(usage.used >= 1234, JSON.stringify(usage));
    },
  },
  {
    name: "a stream cut at random bytes says the same",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const text = 'Grüße, 世界! 🦊 "data: " \\ said the fox.\n\nAnd more.';
      for (let seed = 0; seed < 40; ++seed) {
        const shape = {
          chunking: seed,
          seed,
          newline: ["\n", "\r\n"][seed % 2],
          comments: seed % 3 === 0,
        };
        const calls = [
          { name: "read", arguments: { path: "notes.txt" } },
          { name: "list", arguments: { path: "src" } },
        ];
        const answers = [
          { thought: text, toolCalls: calls, interleaved: true, ...shape },
          { text, ...shape },
        ];
        const { updates } = await stage.play(editor, `Round ${seed}`, answers);
        assert.equal(thought(updates), text, `seed ${seed}`);
        assert.equal(said(updates), text, `seed ${seed}`);
        assert.deepEqual(
          toolCalls(updates).map(({ status, kind }) => `${kind} ${status}`),
          ["read completed", "read completed"],
        );
      }
    },
  },
  {
    name: "thoughts go back to the model with their seal",
    apis: ["anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      const answers = [
        {
          thought: "Secretly.",
          redacted: "sealed==",
          toolCalls: [{ name: "list", arguments: {} }],
        },
        { text: "Done." },
      ];
      await stage.play(editor, "Hello", answers);
      const [, { thoughts }] = stage.lastRequest.conversation.messages;
      assert.deepEqual(thoughts.map(({ text }) => text).toSorted(), ["", "Secretly."]);
    },
  },
  {
    name: "max_tokens",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const answer = { text: "And so on and", stop: "max_tokens" };
      const { stopReason, updates } = await stage.play(editor, "Hello", [answer]);
      assert.equal(stopReason, "max_tokens");
      assert.ok(said(updates).startsWith("And so on and"));
      assert.equal((await stage.play(editor, "More", [{ text: "Fine." }])).stopReason, "end_turn");
    },
  },
  {
    name: "max_tokens in the middle of a tool call: it is not run",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const answer = {
        toolCalls: [{ name: "write", arguments: '{"path":"new.txt","content":"ha' }],
        stop: "max_tokens",
      };
      const { stopReason, updates } = await stage.play(editor, "Hello", [answer]);
      assert.equal(stopReason, "max_tokens");
      assert.ok(toolCalls(updates).every(({ status }) => status === "failed"));
      assert.ok(!stage.place.has("new.txt"));
      assert.equal((await stage.play(editor, "More", [{ text: "Fine." }])).stopReason, "end_turn");
    },
  },
  {
    name: "max_turn_requests: a model that never ends",
    async play(stage) {
      const editor = await stage.begin();
      const never = () => ({ toolCalls: [{ name: "list", arguments: { path: "." } }] });
      const { stopReason } = await stage.play(editor, "Hello", never);
      assert.equal(stopReason, "max_turn_requests");
      assert.ok(stage.requests.length > 1);
      assert.equal((await stage.play(editor, "More", [{ text: "Fine." }])).stopReason, "end_turn");
    },
    minutes: 3,
  },
  {
    name: "refusal: what was refused is not sent again",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "A harmless question", [{ text: "Harmless." }]);
      for (const refused of [{ refusal: "I cannot." }, { stop: "refusal", text: "Well" }]) {
        const answers = [{ toolCalls: [{ name: "list", arguments: {} }] }, refused];
        const { stopReason } = await stage.play(editor, "The forbidden question", answers);
        assert.equal(stopReason, "refusal");
      }
      await stage.play(editor, "Another question", [{ text: "Fine." }]);
      const { conversation, body } = stage.lastRequest;
      assert.ok(conversation.userText.includes("A harmless question"));
      assert.ok(conversation.userText.includes("Another question"));
      assert.ok(!JSON.stringify(body).includes("forbidden"), "the refused prompt");
      assert.deepEqual(conversation.calls, [], "and what followed it");
    },
  },
  {
    name: "text arrives while the model still speaks, piece by piece",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const gate = new Gate();
      stage.script([{ text: "one two three four five six seven eight nine ten", gate }]);
      const since = editor.mark();
      const answer = editor.prompt("Count");
      let seen = "";
      for (let i = 0; i < 3; ++i) {
        await gate.someoneWaits();
        gate.release();
        const before = seen.length;
        await editor.update(
          () => (seen = said(editor.updatesSince(since))).length > before,
          "more text",
          since,
        );
      }
      gate.open();
      assert.equal((await answer).stopReason, "end_turn");
    },
  },
];
