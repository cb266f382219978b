// What a prompt holds, and what of it the model gets.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { said } from "./views.mjs";

const BOTH = ["openai", "anthropic"];
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", mimeType: "image/png", data: PNG };
const AUDIO = { type: "audio", mimeType: "audio/wav", data: "UklGRg==" };
const text = (words, annotations) => ({ type: "text", text: words, annotations });

export const scenarios = [
  {
    name: "AGENTS.md is in the system prompt, the nearest first, up to the project's root",
    apis: BOTH,
    async play(stage) {
      stage.place.folder("project/.git");
      stage.place.write("AGENTS.md", "Rule of the root: use tabs.\n");
      stage.place.write("src/AGENTS.md", "Rule of the folder: use spaces.\n");
      stage.place.write("../AGENTS.md", "Rule of a stranger: use nothing.\n");
      const editor = await stage.begin({ session: { cwd: stage.place.path("src") } });
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const { system } = stage.lastRequest.conversation;
      const [near, far] = [system.indexOf("use spaces"), system.indexOf("use tabs")];
      assert.ok(near >= 0 && far > near, `${near} ${far}`);
      assert.ok(!system.includes("use nothing"), "nothing above the root");
      assert.ok(system.includes(stage.place.path("src")), "the working directory");
    },
  },
  {
    name: "content for the user alone is not sent to the model",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const blocks = [
        text("for both", { audience: ["user", "assistant"] }),
        text("for the user only", { audience: ["user"] }),
        text("for the model", { audience: ["assistant"] }),
        text("for whom it may concern"),
        {
          type: "resource",
          resource: { uri: "file:///a.txt", text: "inside, for the user only" },
          annotations: { audience: ["user"] },
        },
      ];
      await stage.play(editor, blocks, [{ text: "I see." }]);
      const { body, conversation } = stage.lastRequest;
      for (const words of ["for both", "for the model", "for whom it may concern"])
        assert.ok(conversation.userText.includes(words), words);
      assert.ok(!JSON.stringify(body).includes("for the user only"));
    },
  },
  {
    name: "what a prompt embeds or links reaches the model",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const blocks = [
        text("Look at these:"),
        {
          type: "resource",
          resource: {
            uri: "file:///somewhere/a.txt",
            text: "the embedded text",
            mimeType: "text/plain",
          },
        },
        {
          type: "resource_link",
          name: "notes.txt",
          uri: `file://${stage.place.path("notes.txt")}`,
        },
      ];
      await stage.play(editor, blocks, [{ text: "I see." }]);
      const { userText } = stage.lastRequest.conversation;
      assert.ok(userText.includes("the embedded text"), userText);
      assert.ok(userText.includes("/somewhere/a.txt"), userText);
      assert.ok(userText.includes("notes.txt"), userText);
    },
  },
  {
    name: "pictures: taken if any usable model does, refused by a sentence that names the model",
    apis: BOTH,
    async play(stage) {
      const { api } = stage;
      const other = { openai: "ANTHROPIC_API_KEY", anthropic: "OPENAI_API_KEY" }[api];
      stage.place.configure(
        "config.toml",
        `[providers.${api}]\nmodels = ["seeing", "blind"]\nimages = false\n` +
          `[providers.${api}.model.seeing]\nimages = true\n`,
      );
      // Nothing is chosen: the first model of the provider that has a key.
      const editor = await stage.begin({ model: null, environment: { [other]: undefined } });
      const { image, audio } = editor.initialized.agentCapabilities.promptCapabilities;
      assert.deepEqual([image, audio], [true, false]);
      const blocks = [text("What is this?"), IMAGE];
      await stage.play(editor, blocks, [{ text: "A dot." }]);
      const { media } = stage.lastRequest.conversation;
      assert.equal(media.length, 1);
      assert.ok(JSON.stringify(media[0]).includes(PNG));
      const { sessionId } = editor;
      await editor.request("session/set_config_option", {
        sessionId,
        configId: "model",
        value: `${api}/blind`,
      });
      const error = await fails(editor.prompt(blocks), -32602);
      assert.match(error.message, /^The model blind takes no images/);
      assert.match(error.message, /prompt\[1\]/);
      assert.equal(stage.requests.length, 1);
    },
  },
  {
    name: "pictures are advertised with nothing but a key",
    async play(stage) {
      const environment = { OPENAI_BASE_URL: undefined, ANTHROPIC_BASE_URL: undefined };
      const editor = await stage.begin({ model: null, environment });
      assert.ok(editor.initialized.agentCapabilities.promptCapabilities.image);
      // They switch to one that takes none.
      const { sessionId } = editor;
      await editor.request("session/set_config_option", {
        sessionId,
        configId: "model",
        value: "offline",
      });
      const error = await fails(editor.prompt([IMAGE]), -32602);
      assert.match(error.message, /offline.* takes no images/i);
    },
  },
  {
    name: "pictures for a server that is yet to be asked: as it says when the session begins",
    async play(stage) {
      const editor = await stage.begin();
      const { image, audio } = editor.initialized.agentCapabilities.promptCapabilities;
      assert.deepEqual([image, audio], [true, true]);
      const error = await fails(editor.prompt([IMAGE]), -32602);
      assert.match(error.message, /^The model test-model takes no images/);
      assert.equal(stage.requests.length, 0);
    },
  },
  {
    name: "pictures and sound for a model without: -32602 naming the block",
    async play(stage) {
      const editor = await stage.begin({ model: "offline" });
      const { promptCapabilities } = editor.initialized.agentCapabilities;
      assert.ok(!promptCapabilities.image && !promptCapabilities.audio);
      for (const [block, name] of [
        [IMAGE, /image/],
        [AUDIO, /audio/],
      ]) {
        const error = await fails(editor.prompt([text("See"), block]), -32602);
        const what = JSON.stringify([error.message, error.data]);
        assert.match(what, name);
        assert.match(what, /prompt\[1\]/);
      }
      assert.equal((await editor.turn("list")).stopReason, "end_turn");
    },
  },
  {
    name: "llama-server is probed when a session starts, and is as it says",
    async play(stage) {
      stage.model.llama = { contextSize: 4096 };
      const editor = await stage.start();
      assert.deepEqual(stage.model.probes, []);
      await editor.newSession();
      for (const path of ["/health", "/props", "/v1/models"])
        assert.ok(stage.model.probes.includes(path), `${path} of ${stage.model.probes}`);
      const { updates } = await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const usage = updates.find(({ sessionUpdate }) => sessionUpdate === "usage_update");
      assert.equal(usage?.size, 4096);
    },
  },
  {
    name: "llama-server whose template has no tools: said clearly",
    async play(stage) {
      stage.model.llama = { contextSize: 4096, tools: false };
      const editor = await stage.begin();
      const { updates } = await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const all = editor.updatesSince(0);
      assert.match(JSON.stringify([updates, all]), /tool/i);
    },
  },
  {
    name: "the offline model works with no network at all",
    async play(stage) {
      const environment = { OPENAI_BASE_URL: undefined, ANTHROPIC_BASE_URL: undefined };
      const editor = await stage.begin({ model: "offline", environment, mode: "code" });
      const turn = async (words) => {
        const { stopReason, updates } = await editor.turn(words);
        assert.equal(stopReason, "end_turn", words);
        return JSON.stringify(updates);
      };
      assert.ok((await turn("list")).includes("notes.txt"));
      assert.ok((await turn("find **/*.c")).includes("main.c"));
      assert.ok((await turn("show notes.txt")).includes("gamma"));
      assert.ok((await turn("search for gamma")).includes("notes.txt"));
      await turn("replace beta with B in notes.txt; create new.txt with hello");
      assert.equal(stage.place.read("notes.txt"), "alpha\nB\ngamma\n");
      assert.equal(stage.place.read("new.txt").trimEnd(), "hello");
      await turn("move new.txt to newer.txt; delete newer.txt");
      assert.ok(!stage.place.has("new.txt") && !stage.place.has("newer.txt"));
      assert.ok((await turn("run echo ran")).includes("ran"));
      assert.ok(said((await editor.turn("what are you?")).updates).length > 0);
      assert.equal(stage.requests.length, 0);
      assert.deepEqual(stage.model.probes, []);
    },
  },
];
