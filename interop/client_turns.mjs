// Scenarios of an SDK client with our agent: what a turn shows, and what it asks of the client.
import assert from "node:assert/strict";

import { fails } from "./deadline.mjs";

const BLOCKS = [
  { type: "text", text: "look at " },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "resource_link", name: "a.txt", uri: "file:///project/a.txt" },
  { type: "resource", resource: { uri: "file:///project/a.txt", text: "inside" } },
  { type: "resource", resource: { uri: "file:///project/a.bin", blob: "AAEC" } },
  { type: "text", text: "these, ünd 🦊 that" },
];

// A prompt, the answer of the agent's request that it leads to, and the turn's text.
async function textAfter(editor, prompt, answers) {
  Object.assign(editor.answers, answers);
  const { text, stopReason } = await editor.turn(prompt);
  assert.equal(stopReason, "end_turn");
  return text;
}

export const scenarios = [
  {
    name: "every kind of content, there and back",
    async run(editor) {
      await editor.newSession();
      assert.equal((await editor.turn(BLOCKS)).text, "look at these, ünd 🦊 that");
      const { updates } = await editor.turn("content");
      assert.deepEqual(
        updates.map(({ content }) => content.type),
        ["text", "image", "audio", "resource_link", "resource", "resource"],
      );
      assert.deepEqual((await editor.turn([])).updates, []);
      await fails(editor.prompt([{ type: "text" }]), -32602);
    },
  },
  {
    name: "every update; every stop reason",
    async run(editor) {
      await editor.newSession();
      const { updates } = await editor.turn("updates");
      const seen = new Set(updates.map(({ sessionUpdate }) => sessionUpdate));
      assert.equal(seen.size, 14, [...seen].join());
      if (editor.unstable) {
        const more = (await editor.turn("unstable")).updates.map((update) => update.sessionUpdate);
        for (const kind of ["plan_update", "plan_removed", "subagent_update", "session_message"])
          assert.ok(more.includes(kind), kind);
      }
      for (const reason of ["refusal", "max_tokens", "max_turn_requests"])
        assert.equal((await editor.turn(reason)).stopReason, reason);
    },
  },
  {
    name: "updates that need a capability are not sent without it",
    started: false,
    async run(editor) {
      editor.capabilities = {};
      await editor.initialize();
      await editor.newSession();
      const seen = (await editor.turn("updates")).updates.map(({ sessionUpdate }) => sessionUpdate);
      for (const kind of ["notice", "compaction_update", "compaction_summary_chunk"])
        assert.ok(!seen.includes(kind), kind);
      assert.deepEqual((await editor.turn("unstable")).updates, []);
      for (const words of [
        "notice x",
        "read /project/a",
        "write /project/a x",
        "run true",
        "elicit",
        "elicit-url",
      ]) {
        const since = editor.mark();
        const { text } = await editor.turn(`try ${words}`);
        assert.ok(text.startsWith("refused "), `${words}: ${text}`);
        const asked = editor.transcript.entries
          .slice(since)
          .filter(
            ({ from, message }) => from === "agent" && "method" in message && "id" in message,
          );
        assert.deepEqual(asked, [], words);
      }
    },
  },
  {
    name: "tool calls: status, content, raw input and output; one left open has failed",
    async run(editor) {
      await editor.newSession();
      const turn = await editor.turn("tool");
      // The list of commands follows the answer to session/new, perhaps a little later.
      const updates = turn.updates.filter(({ toolCallId }) => toolCallId);
      assert.equal(updates[0].name, "grep");
      assert.deepEqual(updates[0].rawInput, { pattern: "main" });
      assert.deepEqual(updates.map(({ status }) => status).filter(Boolean), [
        "pending",
        "in_progress",
        "completed",
      ]);
      const diff = (await editor.turn("diff /project/a.txt")).updates.find(({ content }) => content);
      assert.deepEqual(diff.content, [
        { type: "diff", path: "/project/a.txt", oldText: "old\n", newText: "new\n" },
      ]);
      assert.equal((await editor.turn("open-tool")).updates.at(-1).status, "failed");
    },
  },
  {
    name: "permission: each kind of option, remembered, cancelled",
    async run(editor) {
      await editor.newSession();
      const choose = (kind) => ({
        permission: ({ options }) => {
          const { optionId } = options.find((option) => option.kind === kind);
          return { outcome: { outcome: "selected", optionId } };
        },
      });
      for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"]) {
        const text = await textAfter(editor, "permission-all", choose(kind));
        const verdict = kind.startsWith("allow") ? "allowed" : "rejected";
        assert.equal(text, `${verdict} ${kind.replace("_", "-")}`);
      }
      assert.equal(
        await textAfter(editor, "permission key", choose("allow_always")),
        "allowed allow_always",
      );
      assert.equal(
        await textAfter(editor, "permission key", choose("reject_once")),
        "allowed remembered",
      );
      editor.answers.permission = () => ({ outcome: { outcome: "cancelled" } });
      assert.equal((await editor.turn("permission")).stopReason, "cancelled");
    },
  },
  {
    name: "files: read, from a line, missing, written",
    async run(editor) {
      await editor.newSession();
      const path = "/project/project/notes.txt";
      assert.equal((await editor.turn(`read ${path}`)).text, "one\ntwo\nthree\nfour\n");
      assert.equal((await editor.turn(`read ${path} 2 2`)).text, "two\nthree\n");
      const missing = (await editor.turn("try read /project/none")).text;
      assert.ok(missing.startsWith("failed -32002 "), missing);
      assert.ok(missing.includes("/project/none"), missing);
      assert.equal((await editor.turn("write /project/project/new.txt some text")).text, "written");
      assert.equal(editor.files.get("/project/project/new.txt"), "some text");
      const relative = (await editor.turn("try read notes.txt")).text;
      assert.ok(relative.startsWith("refused "), relative);
      // What the agent lets pass is its own failure, and no business of the client's.
      const error = await fails(editor.prompt("read /project/none"), -32603);
      assert.ok(!JSON.stringify([error.message, error.data]).includes("/project/none"));
    },
  },
  {
    name: "terminals: run, exit code, shown, killed, timed out, released",
    async run(editor) {
      await editor.newSession();
      assert.equal((await editor.turn("run echo out; exit 3")).text, "out\n[3]");
      const shown = await editor.turn("terminal echo shown");
      assert.equal(shown.text, "shown\n");
      assert.ok(shown.updates.some(({ content }) => content?.[0]?.type === "terminal"));
      assert.equal((await editor.turn("kill exec sleep 1000")).text, "[SIGKILL]");
      assert.equal((await editor.turn("run-for 20 exec sleep 1000")).text, "[timed out][SIGKILL]");
      assert.equal(editor.terminals.open, 0, "all are released");
    },
  },
  {
    name: "elicitation: form and page; accepted, declined, cancelled",
    async run(editor) {
      await editor.newSession();
      const answer = (value) => ({ elicitation: () => value });
      const accepted = { action: "accept", content: { name: "Ada" } };
      assert.equal(await textAfter(editor, "elicit", answer(accepted)), "accepted Ada");
      assert.equal(await textAfter(editor, "elicit", answer({ action: "decline" })), "declined");
      assert.equal(await textAfter(editor, "elicit", answer({ action: "cancel" })), "cancelled");
      const since = editor.mark();
      assert.equal(await textAfter(editor, "elicit-url", answer({ action: "accept" })), "accepted");
      const asked = (await editor.transcript.asked("elicitation/create", since)).message.params;
      const complete = (await editor.transcript.asked("elicitation/complete", since)).message
        .params;
      assert.equal(asked.mode, "url");
      assert.equal(complete.elicitationId, asked.elicitationId);
      assert.equal(
        await textAfter(editor, "elicit-url", answer({ action: "decline" })),
        "declined",
      );
      assert.equal(
        await textAfter(editor, "elicit-url", answer({ action: "cancel" })),
        "cancelled",
      );
    },
  },
  {
    name: "MCP over ACP, both ways",
    unstable: true,
    async run(editor) {
      await editor.newSession({ mcpServers: [{ type: "acp", name: "ours", serverId: "srv" }] });
      const answer = (value) => ({ mcp: () => value });
      const ask = "mcp srv tools/list";
      assert.equal(await textAfter(editor, ask, answer({ result: { tools: [] } })), '{"tools":[]}');
      const failure = { error: { code: -33001, message: "gone", data: { serverId: "srv" } } };
      assert.equal(await textAfter(editor, ask, answer(failure)), "failed -33001");
      const since = editor.mark();
      const note = {
        serverId: "srv",
        requestId: "r9",
        method: "notifications/progress",
        params: {},
      };
      await editor.notify("mcp/message", note);
      const { serverId, method } = (await editor.transcript.asked("_echo/noted", since)).message
        .params;
      assert.deepEqual([serverId, method], [note.serverId, note.method]);
    },
  },
];
