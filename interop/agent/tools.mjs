// Each tool: what it does, what is shown of it, what the model reads.
import assert from "node:assert/strict";
import { createServer } from "node:http";

import { Gate } from "../model_server.mjs";
import { capabilitiesOf } from "./editor.mjs";
import { Pipe } from "./pipe.mjs";
import { contents, contentText, toolCalls } from "./views.mjs";

const BOTH = ["openai", "anthropic"];
const NONE = capabilitiesOf(false, false, false);

// Calls tools in one answer, ends the turn with the next: {calls, results}.
async function use(stage, editor, ...uses) {
  const toolCalls_ = uses.map(([name, args]) => ({ name, arguments: args }));
  const answers = [{ toolCalls: toolCalls_ }, { text: "Done." }];
  const { stopReason, updates } = await stage.play(editor, "Use it", answers);
  assert.equal(stopReason, "end_turn");
  return {
    calls: toolCalls(updates),
    results: stage.lastRequest.conversation.lastResults.map(({ text }) => text),
    updates,
  };
}

async function one(stage, editor, name, args) {
  const { calls, results, updates } = await use(stage, editor, [name, args]);
  return { call: calls[0], result: results[0], updates };
}

export const scenarios = [
  {
    name: "tools: all ten kinds occur",
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      stage.place.write("old.txt", "old\n");
      const uses = [
        ["read", { path: "notes.txt" }],
        ["write", { path: "new.txt", content: "new\n" }],
        ["delete", { path: "old.txt" }],
        ["move", { from: "new.txt", to: "newer.txt" }],
        ["glob", { pattern: "**/*.c" }],
        ["run", { command: "true" }],
        ["plan", { entries: [{ content: "x", status: "pending", priority: "low" }] }],
        ["fetch", { url: `${stage.model.url}/v1/models` }],
        ["switch_mode", { mode: "architect", reason: "to think" }],
      ];
      const kinds = [];
      for (const [name, args] of uses) kinds.push((await one(stage, editor, name, args)).call.kind);
      assert.deepEqual(kinds, [
        "read",
        "edit",
        "delete",
        "move",
        "search",
        "execute",
        "think",
        "fetch",
        "switch_mode",
      ]); // and `other`: MCP
      assert.ok(!stage.place.has("old.txt"));
      assert.equal(stage.place.read("newer.txt"), "new\n");
    },
  },
  {
    name: "tools: what the model is offered",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const { toolNames, tools } = stage.lastRequest.conversation;
      for (const name of [
        "read",
        "write",
        "edit",
        "delete",
        "move",
        "list",
        "glob",
        "grep",
        "run",
        "fetch",
        "plan",
        "switch_mode",
      ])
        assert.ok(toolNames.includes(name), name);
      for (const { description, schema } of tools) {
        assert.ok(description.length > 10);
        assert.equal(schema.type, "object");
      }
    },
  },
  {
    name: "tools: a call is shown the moment the model names it",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const gate = new Gate(1);
      const call = { name: "read", arguments: { path: "notes.txt" } };
      stage.script([{ toolCalls: [call], gate }, { text: "Done." }]);
      const since = editor.mark();
      const answer = editor.prompt("Read");
      await gate.someoneWaits();
      const shown = await editor.update(
        ({ sessionUpdate }) => sessionUpdate === "tool_call",
        "the call",
        since,
      );
      assert.equal(shown.kind, "read");
      gate.open();
      assert.equal((await answer).stopReason, "end_turn");
    },
  },
  {
    name: "read: from a line, with a limit; what is not there, is binary, is outside",
    async play(stage) {
      for (const capabilities of [NONE, capabilitiesOf(true, true, true)]) {
        const editor = await stage.begin({ capabilities });
        const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join("\n");
        stage.place.write("long.txt", lines);
        const part = await one(stage, editor, "read", { path: "long.txt", line: 40, limit: 3 });
        assert.ok(part.result.includes("line 40") && part.result.includes("line 42"), part.result);
        assert.ok(!part.result.includes("line 39") && !part.result.includes("line 43"));
        assert.deepEqual(part.call.locations, [{ path: stage.place.path("long.txt"), line: 40 }]);
        const missing = await one(stage, editor, "read", { path: "none.txt" });
        assert.equal(missing.call.status, "failed");
        assert.ok(missing.result.includes("none.txt"), missing.result);
        const outside = await one(stage, editor, "read", { path: "../home/secret" });
        assert.equal(outside.call.status, "failed");
      }
    },
  },
  {
    name: "a failed tool does not fail the prompt: content, rawOutput, and the model reads why",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const failing = [
        ["read", { path: "none.txt" }],
        ["edit", { path: "notes.txt", edits: [{ old_text: "zeta", new_text: "x" }] }],
        ["grep", { pattern: "(" }],
        ["delete", { path: "none.txt" }],
        ["read", {}],
        ["read", "no json at all"],
        ["no_such_tool", {}],
        ["switch_mode", { mode: "fly" }],
      ];
      for (const [name, args] of failing) {
        const { call, result } = await one(stage, editor, name, args);
        const what = `${name} ${JSON.stringify(args)}`;
        assert.equal(call.status, "failed", what);
        assert.ok(contentText(call).length > 0, `content of ${what}`);
        assert.ok(call.rawOutput !== undefined, `raw output of ${what}`);
        assert.ok(result.length > 0, what);
        if (stage.api === "anthropic")
          assert.equal(stage.lastRequest.conversation.lastResults[0].failed, true, what);
      }
    },
  },
  {
    name: "edit: several at once, line endings kept; ambiguous text is an error that helps",
    async play(stage) {
      const editor = await stage.begin({ mode: "code", capabilities: NONE });
      stage.place.write("dos.txt", "one\r\ntwo\r\nthree\r\ntwo\r\n");
      const edits = [
        { old_text: "one\n", new_text: "1\n" },
        { old_text: "three", new_text: "3" },
      ];
      const { call } = await one(stage, editor, "edit", { path: "dos.txt", edits });
      assert.equal(call.status, "completed");
      assert.equal(stage.place.read("dos.txt"), "1\r\ntwo\r\n3\r\ntwo\r\n");
      const twice = { path: "dos.txt", edits: [{ old_text: "two", new_text: "2" }] };
      const ambiguous = await one(stage, editor, "edit", twice);
      assert.equal(ambiguous.call.status, "failed");
      assert.match(ambiguous.result, /2|two|twice|more than once|several/i);
      twice.edits[0].all = true;
      await one(stage, editor, "edit", twice);
      assert.equal(stage.place.read("dos.txt"), "1\r\n2\r\n3\r\n2\r\n");
    },
  },
  {
    name: "write: a new file in a new folder, shown as a diff without an old text",
    async play(stage) {
      for (const capabilities of [NONE, capabilitiesOf(true, true, false)]) {
        const editor = await stage.begin({ mode: "code", capabilities });
        const name = `deep/${stage.requests.length}/new.txt`;
        const { call } = await one(stage, editor, "write", { path: name, content: "ü\n" });
        assert.equal(call.status, "completed");
        const [diff] = contents(call, "diff");
        assert.deepEqual([diff.path, diff.newText], [stage.place.path(name), "ü\n"]);
        assert.equal(diff.oldText ?? null, null);
        assert.equal(stage.place.read(name), "ü\n");
      }
    },
  },
  {
    name: "glob, grep: gitignore respected, binary files skipped",
    async play(stage) {
      const editor = await stage.begin({ capabilities: NONE });
      stage.place.folder("project/.git");
      stage.place.write(".gitignore", "build/\n");
      stage.place.write("build/main.c", "int main(void);\n");
      stage.place.write("a.bin", "\0\0int main\0");
      const globbed = await one(stage, editor, "glob", { pattern: "**/*.c" });
      assert.ok(globbed.result.includes("src/main.c"), globbed.result);
      assert.ok(!globbed.result.includes("build/main.c"), globbed.result);
      const { result } = await one(stage, editor, "grep", {
        pattern: "INT MAIN",
        ignore_case: true,
      });
      assert.ok(result.includes("src/main.c"), result);
      assert.ok(!result.includes("build/main.c") && !result.includes("a.bin"), result);
      const literal = await one(stage, editor, "grep", { pattern: "main(void)", literal: true });
      assert.ok(literal.result.includes("src/main.c"), literal.result);
    },
  },
  {
    name: "run: in a folder; timed out, what it had printed goes to the model",
    async play(stage) {
      for (const capabilities of [NONE, capabilitiesOf(false, false, true)]) {
        const editor = await stage.begin({ capabilities });
        const there = await one(stage, editor, "run", { command: "pwd", cwd: "src" });
        assert.ok(there.result.includes(stage.place.path("src")), there.result);
        const command = "echo printed; exec sleep 1000";
        const late = await one(stage, editor, "run", { command, timeout_seconds: 1 });
        assert.equal(late.call.status, "failed");
        assert.ok(late.result.includes("printed"), late.result);
        assert.match(late.result, /time/i);
      }
    },
  },
  {
    name: "run: the output is live",
    async play(stage) {
      const editor = await stage.begin({ capabilities: NONE });
      const pipe = new Pipe(stage.place.path("pipe"));
      stage.script([{ toolCalls: [{ name: "run", arguments: { command: pipe.command } }] }]);
      const since = editor.mark();
      const answer = editor.prompt("Run");
      await editor.update(
        (update) =>
          update.sessionUpdate === "tool_call_update" && contentText(update).includes("shown"),
        "output while the command runs",
        since,
      );
      await editor.cancel();
      assert.equal((await answer).stopReason, "cancelled");
      await pipe.untilGone();
    },
  },
  {
    name: "fetch: a page; what is no page",
    async play(stage) {
      const page = createServer((request, response) => {
        response.writeHead(request.url === "/none" ? 404 : 200, { "content-type": "text/plain" });
        response.end("the page's words");
      });
      await new Promise((resolve) => page.listen(0, "127.0.0.1", resolve));
      try {
        const url = `http://127.0.0.1:${page.address().port}`;
        const editor = await stage.begin();
        const { call, result } = await one(stage, editor, "fetch", { url });
        assert.equal(call.kind, "fetch");
        assert.ok(result.includes("the page's words"), result);
        const none = await one(stage, editor, "fetch", { url: `${url}/none` });
        assert.match(none.result, /404/);
        const file = await one(stage, editor, "fetch", { url: "file:///etc/passwd" });
        assert.equal(file.call.status, "failed");
        assert.ok(!file.result.includes("root:"));
      } finally {
        page.close();
      }
    },
  },
  {
    name: "parallel calls: independent reads go side by side",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      // The client answers none before it has been asked for both.
      const read = editor.buffers.read.bind(editor.buffers);
      let asked = 0;
      let both;
      const all = new Promise((resolve) => (both = resolve));
      editor.buffers.read = async (params) => {
        if (++asked === 2) both();
        await all;
        return read(params);
      };
      const { calls } = await use(
        stage,
        editor,
        ["read", { path: "notes.txt" }],
        ["read", { path: "src/main.c" }],
      );
      assert.deepEqual(
        calls.map(({ status }) => status),
        ["completed", "completed"],
      );
    },
  },
  {
    name: "parallel calls: all are run, results in their order; one that fails harms no other",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const { calls, results } = await use(
        stage,
        editor,
        ["read", { path: "notes.txt" }],
        ["read", { path: "none.txt" }],
        ["write", { path: "new.txt", content: "new\n" }],
        ["read", { path: "src/main.c" }],
      );
      assert.deepEqual(
        calls.map(({ status }) => status),
        ["completed", "failed", "completed", "completed"],
      );
      assert.ok(results[0].includes("gamma") && results[3].includes("stdio"), results.join("|"));
    },
  },
];
