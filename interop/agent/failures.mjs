// A model's server that fails, in every way.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { ModelServer } from "../model_server.mjs";
import { ALL } from "./editor.mjs";
import { KEYS } from "./place.mjs";
import { of, said, told, toolCalls } from "./views.mjs";

const BOTH = ["openai", "anthropic"];
const PLAIN = { ...ALL, session: {} };

// It goes on as if nothing had been.
async function goesOn(stage, editor) {
  const { stopReason, updates } = await stage.play(editor, "Still there?", [{ text: "Yes." }]);
  assert.equal(stopReason, "end_turn");
  assert.ok(said(updates).endsWith("Yes."));
}

export const scenarios = [
  {
    name: "429 and 5xx are tried again, and told: by a notice",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const faults = [{ status: 429, retryAfter: 0 }, { status: 503 }, { text: "At last." }];
      const { stopReason, updates } = await stage.play(editor, "Hello", faults);
      assert.equal(stopReason, "end_turn");
      assert.equal(said(updates), "At last.");
      assert.ok(of(updates, "notice").length >= 1, "a notice");
      assert.equal(stage.requests.length, 3);
    },
  },
  {
    name: "429 is a message where the client takes no notices",
    async play(stage) {
      const editor = await stage.begin({ capabilities: PLAIN });
      const faults = [{ status: 429, retryAfter: 0 }, { text: "At last." }];
      const { stopReason, updates } = await stage.play(editor, "Hello", faults);
      assert.equal(stopReason, "end_turn");
      assert.ok(said(updates).endsWith("At last."));
      assert.ok(said(updates).length > "At last.".length, "and it was reported");
      // The model does not hear of it.
      await stage.play(editor, "And?", [{ text: "Fine." }]);
      const [, { role, text }] = stage.lastRequest.conversation.messages;
      assert.deepEqual([role, text], ["assistant", "At last."]);
    },
  },
  {
    name: "429 that outlasts the retries: -32001 with retryAfter; the session goes on",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      stage.script(() => ({ status: 429, retryAfter: 1 }));
      const error = await fails(editor.prompt("Hello"), -32001);
      assert.equal(error.data.retryAfter, 1);
      assert.ok(stage.requests.length > 1, "it was tried again");
      await goesOn(stage, editor);
    },
    minutes: 2,
  },
  {
    name: "5xx that outlasts the retries: -32603; the session goes on",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      stage.script(() => ({ status: 500, retryAfter: 0, message: "the engine is on fire" }));
      const error = await fails(editor.prompt("Hello"), -32603);
      assert.match(error.message, /the server failed.*500/);
      assert.ok(stage.requests.length > 1, "it was tried again");
      await goesOn(stage, editor);
    },
    minutes: 2,
  },
  {
    name: "a request that the server refuses is not tried again: -32603",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ status: 400, message: "the model is not for you" }]);
      const error = await fails(editor.prompt("Hello"), -32603);
      assert.match(error.message, /refused.*400/);
      assert.equal(stage.requests.length, 1);
      await goesOn(stage, editor);
    },
  },
  {
    name: "a key that the server refuses: an error that says so, without the key",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ status: 401, message: `invalid key: ${KEYS[stage.api]}` }]);
      await fails(editor.prompt("Hello"), -32000);
    },
  },
  {
    name: "a provider's own words stay in the log: the client gets a sentence and an id",
    apis: BOTH,
    async play(stage) {
      const words = 'Traceback (most recent call last): File "/srv/app/handler.py", line 7';
      const editor = await stage.begin();
      const ids = [];
      for (const fault of [
        { status: 400, message: words },
        { status: 500, retryAfter: 0, message: words },
        { text: "A long story about a fox.", errorAfter: 1, error: { message: words } },
      ]) {
        stage.script(() => fault);
        const error = await fails(editor.prompt("Hello"), -32603);
        assert.ok(error.message.length < 200, error.message);
        assert.ok(error.message.includes(error.data.correlationId), error.message);
        ids.push(error.data.correlationId);
      }
      await editor.end();
      for (const text of ["Traceback", "/srv/app"])
        assert.ok(!editor.output.includes(text), "what passed has none of it");
      for (const id of ids) {
        const line = editor.stderr.split("\n").find((each) => each.includes(id));
        assert.match(line ?? "", /Traceback.*handler\.py/);
      }
    },
    minutes: 2,
  },
  {
    name: "a stream that breaks off, cleanly or not: tried again or -32603, never a wrong end_turn",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const text = "A long story about a fox. ".repeat(20);
      for (const truncateAfter of [0, 10, 1500])
        for (const cleanly of [true, false]) {
          const first = stage.requests.length;
          const broken = { text, truncateAfter, cleanly };
          // All the answers but one to come are broken: one that tries again gets the whole.
          stage.script((_, number) => (number === 0 ? broken : { text: "Whole." }));
          const since = editor.mark();
          const answer = await editor.prompt("Hello").catch((error) => error);
          if (answer instanceof Error) assert.equal(answer.code, -32603);
          else {
            assert.equal(answer.stopReason, "end_turn");
            assert.ok(stage.requests.length > first + 1, "tried again");
            assert.ok(said(editor.updatesSince(since)).endsWith("Whole."));
          }
        }
      await goesOn(stage, editor);
    },
    minutes: 2,
  },
  {
    name: "a stream that breaks off in a tool call: it is not run",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const toolCalls_ = [
        { name: "write", arguments: { path: "new.txt", content: "x".repeat(900) } },
      ];
      // Every answer breaks off, in the middle of the arguments.
      stage.script(() => ({ toolCalls: toolCalls_, truncateAfter: 3000, cleanly: true }));
      const since = editor.mark();
      await fails(editor.prompt("Hello"), -32603);
      assert.ok(!stage.place.has("new.txt"));
      const calls = toolCalls(editor.updatesSince(since));
      assert.ok(calls.every(({ status }) => status === "failed"));
      await goesOn(stage, editor);
    },
    minutes: 2,
  },
  {
    name: "an error in the stream, and what is no event",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      const text = "A long story about a fox.";
      for (const fault of [
        { errorAfter: 1, error: { message: "out of steam" } },
        { malformedAfter: 1, malformed: "{{" },
      ]) {
        stage.script(() => ({ text, ...fault }));
        await fails(editor.prompt("Hello"), -32603);
        await goesOn(stage, editor);
      }
    },
    minutes: 2,
  },
  {
    name: "nobody there: -32603",
    apis: BOTH,
    async play(stage) {
      const gone = await ModelServer.start();
      const { url } = gone;
      await gone.stop();
      const environment = { OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url };
      const editor = await stage.begin({ environment });
      await fails(editor.prompt("Hello"), -32603);
    },
    minutes: 2,
  },
  {
    name: "a redirect carries no key to another host",
    apis: BOTH,
    async play(stage) {
      const other = await ModelServer.start({ answers: () => ({ text: "Give me your key." }) });
      try {
        const path = { openai: "/v1/chat/completions", anthropic: "/v1/messages" }[stage.api];
        // Another name for the same machine is another host.
        const location = other.url.replace("127.0.0.1", "localhost") + path;
        const editor = await stage.begin();
        stage.script(() => ({ status: 307, location }));
        // The other host has no key to accept: its 401 reads like a rejected one.
        await editor.prompt("Hello").catch(({ code }) => assert.ok([-32603, -32000].includes(code), String(code)));
        for (const { headers } of other.requests)
          assert.ok(!JSON.stringify(headers).includes(KEYS[stage.api]), "the key went elsewhere");
      } finally {
        await other.stop();
      }
    },
    minutes: 2,
  },
  {
    name: "a long wait for the server is reported, and can be cancelled",
    async play(stage) {
      const editor = await stage.begin();
      stage.script(() => ({ status: 429, retryAfter: 20 }));
      const since = editor.mark();
      const answer = editor.prompt("Hello").catch((error) => error);
      const wait = editor.update(
        ({ sessionUpdate }) => ["notice", "agent_message_chunk"].includes(sessionUpdate),
        "what it waits for",
        since,
      );
      wait.catch(() => {});
      // One that does not want to wait so long says so at once.
      const early = await Promise.race([answer, wait]);
      if (early instanceof Error) {
        assert.equal(early.code, -32001);
        assert.equal(early.data.retryAfter, 20);
      } else {
        assert.ok(told(editor.updatesSince(since)).length > 0);
        await editor.cancel();
        assert.equal((await answer).stopReason, "cancelled");
      }
      await goesOn(stage, editor);
    },
  },
];
