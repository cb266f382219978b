// Slash commands.
import assert from "node:assert/strict";
import { unlinkSync } from "node:fs";

import { of, said } from "./views.mjs";

const NAMES = ["help", "plan", "compact", "init", "model", "mode", "status"];
const isCommands = ({ sessionUpdate }) => sessionUpdate === "available_commands_update";
const names = ({ availableCommands }) => availableCommands.map(({ name }) => name);

export const scenarios = [
  {
    name: "commands are announced after session/new, each described",
    async play(stage) {
      const editor = await stage.start();
      const since = editor.mark();
      await editor.newSession();
      assert.deepEqual(of(editor.updatesBeforeAnswer("session/new", since), "x"), []);
      assert.ok(!editor.updatesBeforeAnswer("session/new", since).some(isCommands), "not before");
      const update = await editor.update(isCommands, "the commands", since);
      for (const name of NAMES) assert.ok(names(update).includes(name), name);
      for (const { name, description } of update.availableCommands) {
        assert.ok(!name.startsWith("/"), name);
        assert.ok(description.length > 0, name);
      }
    },
  },
  {
    name: "/help and /status are answered without the model",
    async play(stage) {
      const editor = await stage.begin();
      const help = await editor.turn("/help");
      assert.equal(help.stopReason, "end_turn");
      for (const name of NAMES) assert.ok(said(help.updates).includes(`/${name}`), name);
      const status = said((await editor.turn("/status")).updates);
      assert.ok(status.includes("test-model"), status);
      assert.ok(status.includes("ask"), status);
      assert.equal(stage.requests.length, 0);
    },
  },
  {
    name: "/mode and /model change what they name",
    async play(stage) {
      const editor = await stage.begin();
      const { updates } = await editor.turn("/mode code");
      const [{ currentModeId }] = of(updates, "current_mode_update");
      assert.equal(currentModeId, "code");
      const model = await editor.turn("/model offline");
      assert.equal(model.stopReason, "end_turn");
      const [{ configOptions }] = of(model.updates, "config_option_update").slice(-1);
      assert.equal(configOptions.find(({ id }) => id === "model").currentValue, "offline");
      assert.equal(stage.requests.length, 0);
    },
  },
  {
    name: "an unknown /word goes to the model, and so does one inside of a text",
    async play(stage) {
      const editor = await stage.begin();
      for (const text of ["/unknown to all", "what does /help do?", "/etc/passwd is a file"]) {
        const { updates } = await stage.play(editor, text, [{ text: "I see." }]);
        assert.equal(said(updates), "I see.");
        assert.ok(stage.lastRequest.conversation.userText.includes(text), text);
      }
    },
  },
  {
    name: "a command may come with other blocks",
    async play(stage) {
      const editor = await stage.begin();
      const { stopReason } = await editor.turn([
        { type: "text", text: "/help" },
        {
          type: "resource_link",
          name: "notes.txt",
          uri: `file://${stage.place.path("notes.txt")}`,
        },
      ]);
      assert.equal(stopReason, "end_turn");
    },
  },
  {
    name: "/plan, /init go to the model with words of their own",
    async play(stage) {
      const editor = await stage.begin();
      for (const command of ["/plan a better world", "/init"]) {
        const { stopReason } = await stage.play(editor, command, [{ text: "Well." }]);
        assert.equal(stopReason, "end_turn");
      }
      assert.equal(stage.requests.length, 2);
      assert.ok(stage.requests[0].conversation.userText.includes("a better world"));
    },
  },
  {
    name: "/compact: what was said becomes a summary",
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "The first question", [{ text: "The first answer." }]);
      stage.script([{ text: "SUMMARY of all." }]);
      assert.equal((await editor.turn("/compact")).stopReason, "end_turn");
      await stage.play(editor, "And now", [{ text: "Fine." }]);
      const { body, conversation } = stage.lastRequest;
      assert.ok(JSON.stringify(body).includes("SUMMARY of all."), "the summary is sent");
      assert.ok(conversation.userText.includes("And now"));
      const assistant = conversation.messages.filter(({ role }) => role === "assistant");
      assert.ok(assistant.every(({ text }) => !text.includes("The first answer.")));
    },
  },
  {
    name: "the user's own commands: announced, used, and updated when files change",
    async play(stage) {
      const path = stage.place.write(".acp/commands/greet.md", "Greet the person politely.\n");
      const editor = await stage.start();
      let since = editor.mark();
      await editor.newSession();
      const first = await editor.update(isCommands, "the commands", since);
      assert.ok(names(first).includes("greet"), names(first).join());
      await stage.play(editor, "/greet Ada", [{ text: "Good day." }]);
      const { userText } = stage.lastRequest.conversation;
      assert.ok(userText.includes("Greet the person politely."), userText);
      assert.ok(userText.includes("Ada"), userText);
      since = editor.mark();
      unlinkSync(path);
      stage.place.write(".acp/commands/insult.md", "Insult the person.\n");
      await editor.update(
        (update) =>
          isCommands(update) &&
          names(update).includes("insult") &&
          !names(update).includes("greet"),
        "the new commands",
        since,
      );
    },
  },
];
