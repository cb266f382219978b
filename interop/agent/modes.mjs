// Modes: as modes and as a config option, and what each lets pass.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { Gate } from "../model_server.mjs";
import { of, toolCalls } from "./views.mjs";

const option = (options, category) => options.find((each) => each.category === category);

// What each tool came to: asked, done or failed.
const USES = {
  edit: ["write", { path: "new.txt", content: "x\n" }],
  move: ["move", { from: "new.txt", to: "newer.txt" }],
  delete: ["delete", { path: "newer.txt" }],
  run: ["run", { command: "echo ran >ran.txt" }],
  fetch: ["fetch", { url: "http://127.0.0.1:1/" }],
  read: ["read", { path: "notes.txt" }],
};

async function asksIn(stage, editor) {
  const asked = [];
  for (const [what, [name, args]] of Object.entries(USES)) {
    const before = editor.permissions.asked.length;
    const answers = [{ toolCalls: [{ name, arguments: args }] }, { text: "Done." }];
    await stage.play(editor, what, answers);
    if (editor.permissions.asked.length > before) asked.push(what);
  }
  return asked;
}

const modeOf = (updates) => of(updates, "current_mode_update").at(-1)?.currentModeId;
const optionOf = (updates) =>
  option(of(updates, "config_option_update").at(-1)?.configOptions ?? [], "mode")?.currentValue;

export const scenarios = [
  {
    name: "modes and config options of a new session",
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const { modes, configOptions } = editor.session;
      assert.deepEqual(modes.availableModes.map(({ id }) => id).toSorted(), [
        "architect",
        "ask",
        "code",
      ]);
      assert.equal(modes.currentModeId, "code");
      const mode = option(configOptions, "mode");
      assert.deepEqual([mode.id, mode.currentValue], ["mode", "code"]);
      const model = option(configOptions, "model");
      assert.deepEqual([model.id, model.currentValue], ["model", "openai/test-model"]);
    },
  },
  {
    name: "mode ask asks before every change; code before commands; architect changes nothing",
    async play(stage) {
      const editor = await stage.begin({ mode: "ask" });
      assert.deepEqual(await asksIn(stage, editor), ["edit", "move", "delete", "run", "fetch"]);
      const coder = await stage.begin({ mode: "code" });
      assert.deepEqual(await asksIn(stage, coder), ["run", "fetch"]);
      stage.place.write("ran.txt", "untouched");
      const architect = await stage.begin({ mode: "architect" });
      assert.deepEqual(await asksIn(stage, architect), ["fetch"]);
      assert.ok(!stage.place.has("new.txt"));
      assert.equal(stage.place.read("ran.txt"), "untouched");
    },
  },
  {
    name: "mode architect: the call fails, the model reads why, the turn goes on",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin({ mode: "architect" });
      const answers = [
        { toolCalls: [{ name: "write", arguments: { path: "new.txt", content: "x" } }] },
        { text: "I only plan." },
      ];
      const { stopReason, updates } = await stage.play(editor, "Write", answers);
      assert.equal(stopReason, "end_turn");
      assert.equal(toolCalls(updates)[0].status, "failed");
      assert.match(stage.lastRequest.conversation.lastResults[0].text, /architect|mode/);
    },
  },
  {
    name: "set_mode and the config option change together",
    async play(stage) {
      const editor = await stage.begin();
      const { sessionId } = editor;
      let since = editor.mark();
      await editor.request("session/set_mode", { sessionId, modeId: "code" });
      await editor.barrier();
      assert.equal(optionOf(editor.updatesSince(since)), "code", "the option follows the mode");
      since = editor.mark();
      const set = { sessionId, configId: "mode", value: "architect" };
      const { configOptions } = await editor.request("session/set_config_option", set);
      assert.equal(option(configOptions, "mode").currentValue, "architect");
      await editor.barrier();
      assert.equal(modeOf(editor.updatesSince(since)), "architect", "the mode follows the option");
      await fails(editor.request("session/set_mode", { sessionId, modeId: "fly" }), -32602);
      await fails(editor.request("session/set_config_option", { ...set, value: "fly" }), -32602);
      await fails(editor.request("session/set_config_option", { ...set, configId: "x" }), -32602);
    },
  },
  {
    name: "a change of mode during a turn holds from the next tool call",
    async play(stage) {
      const editor = await stage.begin({ mode: "ask" });
      const gate = new Gate();
      const write = (n) => ({
        toolCalls: [{ name: "write", arguments: { path: `${n}.txt`, content: "x\n" } }],
      });
      stage.script([write(1), { ...write(2), gate }, { text: "Done." }]);
      const answer = editor.prompt("Write");
      await gate.someoneWaits();
      assert.equal(editor.permissions.asked.length, 1);
      const { sessionId } = editor;
      await editor.request("session/set_mode", { sessionId, modeId: "code" });
      gate.open();
      assert.equal((await answer).stopReason, "end_turn");
      assert.equal(editor.permissions.asked.length, 1, "not asked for the second");
      assert.ok(stage.place.has("2.txt"));
    },
  },
  {
    name: "the model proposes another mode: with permission it is set, and said",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin({ mode: "architect" });
      const propose = { toolCalls: [{ name: "switch_mode", arguments: { mode: "code" } }] };
      const write = {
        toolCalls: [{ name: "write", arguments: { path: "new.txt", content: "x\n" } }],
      };
      editor.permissions.then("reject_once", "allow_once");
      const refused = await stage.play(editor, "Go", [propose, write, { text: "No." }]);
      assert.equal(modeOf(refused.updates), undefined);
      assert.ok(!stage.place.has("new.txt"));
      const { updates } = await stage.play(editor, "Go", [propose, write, { text: "Yes." }]);
      assert.deepEqual([modeOf(updates), optionOf(updates)], ["code", "code"]);
      assert.ok(stage.place.has("new.txt"));
      assert.equal(editor.permissions.asked.length, 2);
      assert.equal(editor.permissions.asked[1].toolCall.kind, "switch_mode");
    },
  },
  {
    name: "session/set_model, which the protocol no longer has, sets the model's config option",
    async play(stage) {
      stage.model.models = ["test-model", "other-model"];
      const editor = await stage.begin();
      const { sessionId } = editor;
      const set = (modelId) => editor.request("session/set_model", { sessionId, modelId });
      await set("openai/other-model");
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      assert.equal(stage.lastRequest.body.model, "other-model");
      await fails(set("nowhere/model"), -32602);
      await fails(editor.request("session/set_model", { sessionId }), -32602);
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      assert.equal(stage.lastRequest.body.model, "other-model");
    },
  },
  {
    name: "the model is chosen by the config option, and from the next request on",
    async play(stage) {
      stage.model.models = ["test-model", "other-model"];
      const editor = await stage.begin();
      const { options } = option(editor.session.configOptions, "model");
      const values = options.flatMap(({ value, options: group }) =>
        group ? group.map((each) => each.value) : value,
      );
      assert.ok(values.includes("openai/test-model"), values.join());
      assert.ok(values.includes("offline"), values.join());
      await stage.play(editor, "One", [{ text: "1" }]);
      assert.equal(stage.lastRequest.body.model, "test-model");
      const other = values.find((value) => value === "openai/other-model");
      if (!other) return; // only what the server lists can be offered; not every agent asks it
      const set = { sessionId: editor.sessionId, configId: "model", value: other };
      await editor.request("session/set_config_option", set);
      await stage.play(editor, "Two", [{ text: "2" }]);
      assert.equal(stage.lastRequest.body.model, "other-model");
      assert.ok(stage.lastRequest.conversation.userText.includes("One"), "the history is kept");
    },
  },
];
