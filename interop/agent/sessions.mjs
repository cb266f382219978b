// The life of sessions.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { Gate } from "../model_server.mjs";
import { contentText, of, said, story, toolCalls } from "./views.mjs";

const BOTH = ["openai", "anthropic"];
const call = (name, args) => ({ toolCalls: [{ name, arguments: args }] });

// A turn with something of every kind.
const RICH = [
  {
    thought: "A plan first.",
    text: "Let me see.",
    ...call("plan", {
      entries: [{ content: "Fix", status: "pending", priority: "high" }],
    }),
  },
  call("read", { path: "notes.txt" }),
  call("edit", { path: "notes.txt", edits: [{ old_text: "beta", new_text: "B" }] }),
  call("read", { path: "none.txt" }),
  call("run", { command: "echo output" }),
  { text: "Done." },
];

// Without what live updates have and a replay need not. A terminal is gone by then: what it showed is
// replayed as text.
const comparable = (updates) =>
  story(updates).map(({ call, ...item }) => {
    if (!call) return item;
    const { statuses, content, _meta, ...kept } = call;
    return { ...item, call: kept, types: (content ?? []).map(shownAs) };
  });
const shownAs = ({ type }) => (type === "terminal" ? "content" : type);
const withoutUser = (items) => items.filter(({ kind }) => kind !== "user");

async function listed(editor, more = {}) {
  const sessions = [];
  let pages = 0;
  let cursor;
  do {
    const page = await editor.request("session/list", { cursor, ...more });
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
    ++pages;
  } while (cursor != null);
  return { sessions, pages };
}
const ids = ({ sessions }) => sessions.map(({ sessionId }) => sessionId);

export const scenarios = [
  {
    name: "initialize: what the agent says it can",
    async play(stage) {
      const editor = await stage.start();
      const { agentCapabilities, protocolVersion, agentInfo } = editor.initialized;
      assert.equal(protocolVersion, 1);
      assert.ok(agentInfo.name && agentInfo.version);
      assert.equal(agentCapabilities.loadSession, true);
      for (const name of ["list", "resume", "close", "delete", "fork"])
        assert.ok(agentCapabilities.sessionCapabilities[name], name);
      assert.equal(agentCapabilities.mcpCapabilities.http, true);
      assert.equal(agentCapabilities.mcpCapabilities.sse, true);
      assert.equal(agentCapabilities.promptCapabilities.embeddedContext, true);
      assert.equal(stage.model.probes.length, 0, "no probe delays initialize");
    },
  },
  {
    name: "a cwd that is relative or missing: -32602",
    async play(stage) {
      const editor = await stage.begin();
      const { sessionId } = editor;
      for (const cwd of [
        "project",
        ".",
        "",
        stage.place.path("none"),
        stage.place.path("notes.txt"),
      ]) {
        await fails(editor.request("session/new", { cwd, mcpServers: [] }), -32602);
        await fails(editor.request("session/fork", { sessionId, cwd, mcpServers: [] }), -32602);
      }
    },
  },
  {
    name: "the session's cwd rules, wherever the process was started",
    async play(stage) {
      const editor = await stage.begin({ cwd: "/" });
      const answers = [call("run", { command: "pwd" }), call("list", {}), { text: "Done." }];
      await stage.play(editor, "Where?", answers);
      const [pwd] = stage.requests[1].conversation.lastResults;
      assert.ok(pwd.text.includes(stage.place.project), pwd.text);
      const [list] = stage.requests[2].conversation.lastResults;
      assert.ok(list.text.includes("notes.txt"), list.text);
    },
  },
  {
    name: "several sessions at once, each with its own history",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.start();
      const sessions = [];
      for (let i = 0; i < 4; ++i) sessions.push((await editor.newSession()).sessionId);
      const gate = new Gate();
      stage.script(({ conversation: { userText } }) => ({
        text: `You said ${userText.trim().at(-1)}.`,
        gate,
      }));
      const answers = sessions.map((id, i) => editor.prompt(`number ${i}`, id));
      await stage.model.request(3); // all four are with the model
      gate.open();
      for (const answer of answers) assert.equal((await answer).stopReason, "end_turn");
      for (const [i, id] of sessions.entries())
        assert.equal(said(editor.updatesSince(0, id)), `You said ${i}.`);
      stage.script([{ text: "Fine." }]);
      await editor.prompt("again", sessions[2]);
      const { userText } = stage.lastRequest.conversation;
      assert.ok(userText.includes("number 2") && !userText.includes("number 1"), userText);
    },
  },
  {
    name: "a second prompt waits for the first",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const gate = new Gate();
      stage.script([{ text: "First.", gate }, { text: "Second." }]);
      const order = [];
      const first = editor.prompt("One").then(() => order.push(1));
      const second = editor.prompt("Two").then(() => order.push(2));
      await gate.someoneWaits();
      await editor.barrier();
      assert.equal(stage.requests.length, 1);
      gate.open();
      await Promise.all([first, second]);
      assert.deepEqual(order, [1, 2]);
      assert.equal(said(editor.updatesSince(0)), "First.Second.");
      const [, { text }] = stage.requests[1].conversation.messages;
      assert.equal(text, "First.", "the second knows the first");
    },
  },
  {
    name: "load replays everything in order before it answers, and the model knows it",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const { updates } = await stage.play(editor, "Fix the notes", RICH);
      const { sessionId } = editor;
      await editor.request("session/set_mode", { sessionId, modeId: "code" });
      await editor.end();
      const next = await stage.start();
      const loaded = await next.open("session/load", sessionId);
      const replayed = comparable(loaded.updates);
      assert.deepEqual(replayed[0], { kind: "user", text: "Fix the notes" });
      assert.deepEqual(withoutUser(replayed), withoutUser(comparable(updates)));
      const run = toolCalls(loaded.updates).find(({ kind }) => kind === "execute");
      assert.ok(contentText(run).includes("output"), "what the terminal showed");
      assert.equal(loaded.session.modes.currentModeId, "code", "the mode is kept");
      await stage.play(next, "And?", [{ text: "Fine." }]);
      const { conversation } = stage.lastRequest;
      assert.ok(conversation.userText.includes("Fix the notes"));
      assert.equal(conversation.calls.length, 5);
    },
  },
  {
    name: "resume restores without a replay",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "Fix the notes", RICH);
      const { sessionId } = editor;
      await editor.request("session/close", { sessionId });
      const since = editor.mark();
      await editor.open("session/resume", sessionId);
      await editor.barrier();
      const kinds = editor.updatesSince(since).map(({ sessionUpdate }) => sessionUpdate);
      assert.ok(
        kinds.every((kind) => !/chunk|tool_call|plan/.test(kind)),
        kinds.join(),
      );
      await stage.play(editor, "And?", [{ text: "Fine." }]);
      assert.ok(stage.lastRequest.conversation.userText.includes("Fix the notes"));
    },
  },
  {
    name: "fork: two that share a past, and nothing else",
    async play(stage) {
      const editor = await stage.begin();
      const original = editor.sessionId;
      await stage.play(editor, "The past", [{ text: "Yes." }]);
      await editor.open("session/fork", original);
      const fork = editor.sessionId;
      assert.notEqual(fork, original);
      await stage.play(editor, "In the fork", [{ text: "Yes." }]);
      assert.ok(stage.lastRequest.conversation.userText.includes("The past"));
      stage.script([{ text: "Yes." }]);
      await editor.prompt("In the original", original);
      assert.ok(!stage.lastRequest.conversation.userText.includes("In the fork"));
    },
  },
  {
    name: "list: in pages, by cwd, with titles and times; delete; close",
    async play(stage) {
      const editor = await stage.start();
      stage.script(() => ({ text: "Yes." }));
      const mine = [];
      for (let i = 0; i < 120; ++i) {
        mine.push((await editor.newSession()).sessionId);
        await editor.prompt(`Question number ${i}`);
      }
      const elsewhere = (await editor.newSession({ cwd: stage.place.folder("elsewhere") }))
        .sessionId;
      await editor.prompt("Elsewhere");
      const all = await listed(editor, { cwd: stage.place.project });
      assert.deepEqual(ids(all).toSorted(), mine.toSorted());
      assert.ok(all.pages > 1, "in pages");
      assert.ok(ids(await listed(editor)).includes(elsewhere));
      for (const { title, updatedAt, cwd } of all.sessions) {
        assert.ok(title?.length > 0, "a title");
        assert.ok(!Number.isNaN(Date.parse(updatedAt)), updatedAt);
        assert.equal(cwd, stage.place.project);
      }
      assert.equal(all.sessions[0].sessionId, mine.at(-1), "the newest first");
      await fails(editor.request("session/list", { cursor: "no cursor of ours" }), -32602);

      const [gone, closed] = mine;
      await editor.request("session/delete", { sessionId: gone });
      await editor.request("session/close", { sessionId: closed });
      const left = ids(await listed(editor));
      assert.ok(!left.includes(gone) && left.includes(closed));
      await fails(editor.open("session/load", gone), -32002);
      await fails(editor.prompt("closed", closed), -32002);
      await fails(editor.prompt("nowhere", "no-such-session"), -32002);
    },
    minutes: 3,
  },
  {
    name: "a session that is live in another process is refused, and said",
    async play(stage) {
      const one = await stage.begin();
      await stage.play(one, "Hello", [{ text: "Hi." }]);
      const { sessionId } = one;
      const two = await stage.start();
      for (const method of ["session/load", "session/resume"]) {
        const error = await two.open(method, sessionId).then(
          () => assert.fail(`${method} is refused`),
          (error) => error,
        );
        assert.match(JSON.stringify([error.message, error.data]), /process|live|in use|open/i);
      }
      // Both go on, and share the list.
      assert.ok(ids(await listed(two)).includes(sessionId));
      await stage.play(one, "Still there?", [{ text: "Yes." }]);
      await one.end();
      const { updates } = await two.open("session/load", sessionId);
      assert.equal(said(updates), "Hi.Yes.");
    },
  },
  {
    name: "a killed process leaves no session locked",
    async play(stage) {
      const one = await stage.begin();
      await stage.play(one, "Hello", [{ text: "Hi." }]);
      await one.kill();
      const two = await stage.start();
      const { updates } = await two.open("session/load", one.sessionId);
      assert.equal(said(updates), "Hi.");
      assert.equal(of(updates, "user_message_chunk")[0].content.text, "Hello");
    },
  },
];
