// Scenarios of an SDK client with our agent: the life of sessions.
import assert from "node:assert/strict";

import { fails } from "./deadline.mjs";
import { CWD, textOf } from "./sdk_client.mjs";

const kinds = (updates) => updates.map(({ sessionUpdate }) => sessionUpdate);

export const scenarios = [
  {
    name: "session/new: modes, options, and the commands after its answer",
    async run(editor) {
      const since = editor.mark();
      const session = await editor.newSession({ additionalDirectories: ["/project/other"] });
      assert.equal(session.modes.currentModeId, "ask");
      assert.deepEqual(
        session.configOptions.map(({ id, type }) => `${id} ${type}`),
        ["model select", "verbose boolean"],
      );
      const update = await editor.transcript.asked("session/update", since);
      assert.equal(update.message.params.update.sessionUpdate, "available_commands_update");
      assert.deepEqual(editor.updatesBeforeAnswer("session/new", since), []);
    },
  },
  {
    name: "session/new: booleans are kept from a client that does not take them",
    started: false,
    async run(editor) {
      editor.capabilities = {};
      await editor.initialize();
      const session = await editor.newSession();
      assert.deepEqual(
        session.configOptions.map(({ id }) => id),
        ["model"],
      );
    },
  },
  {
    name: "session/new: every kind of MCP server",
    async run(editor) {
      const headers = [{ name: "a", value: "b" }];
      const servers = [
        { name: "local", command: "/bin/true", args: ["-v"], env: headers },
        { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers },
        { type: "sse", name: "old", url: "http://127.0.0.1:9/sse", headers: [] },
      ];
      if (editor.unstable) servers.push({ type: "acp", name: "ours", serverId: "srv" });
      await editor.newSession({ mcpServers: servers });
      assert.equal((await editor.turn("hello")).text, "hello");
      // None of them is there. That is said, and the session goes on.
      const { text } = await editor.turn("servers");
      for (const { name } of servers) assert.match(text, new RegExp(`${name}: not connected: .`));
    },
  },
  {
    name: "a system prompt: taken, and refused where it is not understood",
    unstable: true,
    async run(editor) {
      const text = [{ type: "text", text: "Be brief." }];
      await editor.newSession({ systemPrompt: { mode: "append", content: text } });
      await editor.newSession({ systemPrompt: { mode: "override", content: text } });
      const odd = { cwd: CWD, mcpServers: [], systemPrompt: { mode: "_odd", content: text } };
      await fails(editor.request("session/new", odd), -32602);
    },
  },
  {
    name: "session/list: in pages, by cwd",
    async run(editor) {
      const ids = [];
      for (let i = 0; i < 5; ++i) ids.push((await editor.newSession()).sessionId);
      await editor.newSession({ cwd: "/project/elsewhere" });
      const seen = [];
      const sizes = [];
      let cursor;
      do {
        const page = await editor.request("session/list", { cwd: CWD, cursor });
        sizes.push(page.sessions.length);
        seen.push(...page.sessions.map(({ sessionId }) => sessionId));
        cursor = page.nextCursor;
      } while (cursor != null);
      assert.deepEqual(sizes, [2, 2, 1]);
      assert.deepEqual(seen.toSorted(), ids.toSorted());
    },
  },
  {
    name: "session/load replays before its answer and not after it; session/resume does not replay",
    async run(editor) {
      await editor.newSession();
      for (const text of ["first of all", "and then"]) await editor.turn(text);
      const open = { sessionId: editor.sessionId, cwd: CWD, mcpServers: [] };
      await editor.request("session/close", { sessionId: editor.sessionId });
      await fails(editor.prompt("closed"), -32002);

      let since = editor.mark();
      const loaded = await editor.request("session/load", open);
      assert.equal(loaded.modes.currentModeId, "ask");
      const replayed = await editor.replayed(since);
      const turn = ["user_message_chunk", "agent_message_chunk"];
      assert.deepEqual(kinds(replayed).slice(0, 4), [...turn, ...turn]);
      assert.equal(textOf(replayed), "first of alland then");
      assert.deepEqual(editor.updatesSince(since), replayed, "nothing after the answer");
      assert.equal((await editor.turn("again")).text, "again");

      await editor.request("session/close", { sessionId: editor.sessionId });
      since = editor.mark();
      await editor.request("session/resume", open);
      await editor.barrier();
      assert.deepEqual(
        kinds(editor.updatesSince(since)).filter((kind) => kind !== "available_commands_update"),
        [],
      );
      assert.equal((await editor.turn("resumed")).text, "resumed");
    },
  },
  {
    name: "session/close ends the turn first; session/delete removes",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      const prompt = editor.prompt("wait");
      await editor.transcript.asked("session/update", since);
      await editor.request("session/close", { sessionId: editor.sessionId });
      assert.equal((await prompt).stopReason, "cancelled");
      const { entries } = editor.transcript;
      const place = async (method) =>
        entries.indexOf(
          await editor.transcript.answerTo(await editor.transcript.sent(method, since)),
        );
      assert.ok(
        (await place("session/prompt")) < (await place("session/close")),
        "the turn's end first",
      );
      const listed = async () =>
        (await editor.request("session/list", {})).sessions.map(({ sessionId }) => sessionId);
      assert.deepEqual(await listed(), [editor.sessionId]);
      await editor.request("session/delete", { sessionId: editor.sessionId });
      assert.deepEqual(await listed(), []);
    },
  },
  {
    name: "fork, archive, unarchive, status, title",
    unstable: true,
    async run(editor) {
      const { sessionId } = await editor.newSession();
      await editor.turn("the past");
      const fork = await editor.request("session/fork", { sessionId, cwd: CWD });
      assert.notEqual(fork.sessionId, sessionId);
      assert.equal(fork.modes.currentModeId, "ask");
      const prompt = editor.prompt("in the fork", undefined, fork.sessionId);
      assert.equal((await prompt).stopReason, "end_turn");
      const since = editor.mark();
      await editor.request("session/load", { sessionId: fork.sessionId, cwd: CWD, mcpServers: [] });
      const replayed = await editor.replayed(since, fork.sessionId);
      assert.equal(textOf(replayed), "the pastin the fork");

      assert.equal(
        (await editor.request("session/set_title", { sessionId, title: "A" })).title,
        "A",
      );
      await editor.request("session/archive", { sessionId });
      const list = async (archived) =>
        (await editor.request("session/list", { archived })).sessions.map((s) => s.sessionId);
      assert.deepEqual(await list("only"), [sessionId]);
      assert.deepEqual(await list("exclude"), [fork.sessionId]);
      assert.equal((await list("include")).length, 2);
      await editor.request("session/unarchive", { sessionId });
      assert.deepEqual(await list("only"), []);
      const titles = (await editor.request("session/list", {})).sessions.map(({ title }) => title);
      assert.ok(titles.includes("A"));

      const status = async () => (await editor.request("session/status", { sessionId })).status;
      assert.equal(await status(), "open");
      await editor.request("session/close", { sessionId });
      assert.equal(await status(), "saved");
    },
  },
  {
    name: "set_mode and set_config_option: what is listed, and nothing else",
    async run(editor) {
      const { sessionId } = await editor.newSession();
      const setMode = (modeId) => editor.request("session/set_mode", { sessionId, modeId });
      await setMode("code");
      assert.equal((await fails(setMode("fly"), -32602)).data.path, "params.modeId");
      const set = (more) => editor.request("session/set_config_option", { sessionId, ...more });
      const values = ({ configOptions }) => configOptions.map(({ currentValue }) => currentValue);
      assert.deepEqual(values(await set({ configId: "model", value: "large" })), ["large", false]);
      const boolean = { configId: "verbose", type: "boolean", value: true };
      assert.deepEqual(values(await set(boolean)), ["large", true]);
      await fails(set({ configId: "model", value: "huge" }), -32602);
      await fails(set({ configId: "colour", value: "red" }), -32602);
      await fails(set({ configId: "model", type: "boolean", value: true }), -32602);
      await fails(set({ configId: "verbose", value: "large" }), -32602);
      // The agent's own changes.
      const { updates } = await editor.turn("mode ask");
      assert.deepEqual(updates, [{ sessionUpdate: "current_mode_update", currentModeId: "ask" }]);
      const [changed] = (await editor.turn("option small")).updates;
      assert.equal(changed.sessionUpdate, "config_option_update");
      assert.deepEqual(values(changed), ["small", false]);
    },
  },
  {
    name: "providers: list, set, disable",
    unstable: true,
    async run(editor) {
      const list = async () => (await editor.request("providers/list", {})).providers;
      assert.deepEqual(
        (await list()).map(({ providerId, required }) => [providerId, required]),
        [
          ["main", true],
          ["spare", false],
        ],
      );
      const config = { apiType: "openai", baseUrl: "http://127.0.0.1:1/v1" };
      const set = { providerId: "spare", ...config, headers: { authorization: "x" } };
      await editor.request("providers/set", set);
      assert.deepEqual((await list())[1].current, config);
      await editor.request("providers/disable", { providerId: "spare" });
      assert.equal((await list())[1].current, null);
      await fails(editor.request("providers/disable", { providerId: "main" }), -32602);
      await fails(editor.request("providers/set", { ...set, providerId: "none" }), -32602);
    },
  },
];
