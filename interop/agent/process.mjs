// The process: its streams, and its end.
import assert from "node:assert/strict";

import { Pipe } from "./pipe.mjs";
import { capabilitiesOf } from "./editor.mjs";

export const scenarios = [
  {
    name: "stdin closed: exit code 0, at rest and before anything was said",
    async play(stage) {
      assert.equal(await stage.spawn().end(), 0);
      const editor = await stage.begin();
      assert.equal(await editor.end(), 0);
    },
  },
  {
    name: "stdin closed while the model speaks: the server sees it, and the exit code is 0",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ text: "A long story.", hangAfter: 0 }]);
      editor.agent
        .request("session/prompt", {
          sessionId: editor.sessionId,
          prompt: [{ type: "text", text: "Hello" }],
        })
        .catch(() => {});
      const request = await stage.model.request(0);
      assert.equal(await editor.end(), 0);
      assert.equal(await request.aborted, true);
      editor.killed = true; // as below
    },
  },
  {
    name: "stdin closed while a command runs: it and its children are gone",
    async play(stage) {
      const editor = await stage.begin({ capabilities: capabilitiesOf(false, false, false) });
      const pipe = new Pipe(stage.place.path("pipe"));
      stage.script([{ toolCalls: [{ name: "run", arguments: { command: pipe.command } }] }]);
      editor.agent
        .request("session/prompt", {
          sessionId: editor.sessionId,
          prompt: [{ type: "text", text: "Run" }],
        })
        .catch(() => {});
      await pipe.untilBegun();
      assert.equal(await editor.end(), 0);
      await pipe.untilGone();
      // It could not end what it had begun; what it did say is looked at like a killed one's.
      editor.killed = true;
    },
  },
  {
    name: "lines that are no JSON are answered, and stop nothing",
    async play(stage) {
      const editor = await stage.start();
      editor.child.stdin.write("this is no JSON\n");
      await editor.transcript.until(
        ({ from, message }) => from === "agent" && message.error?.code === -32700,
        "an error -32700",
      );
      await editor.newSession();
      assert.equal((await stage.play(editor, "Hello", [{ text: "Hi." }])).stopReason, "end_turn");
    },
  },
];
