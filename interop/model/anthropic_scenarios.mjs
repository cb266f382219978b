// The test's model server, read by npm `@anthropic-ai/sdk`.
import assert from "node:assert/strict";

import Anthropic from "@anthropic-ai/sdk";

import { CALLS, FULL, SEEDS, TEXT, THOUGHT, USAGE, WRITINGS } from "./answers.mjs";
import { Gate } from "./gate.mjs";

const BODY = {
  model: "test-model",
  max_tokens: 1000,
  system: "Be brief.",
  messages: [{ role: "user", content: "Hello" }],
  tools: CALLS.map(({ name }) => ({ name, input_schema: { type: "object" } })),
};

const client = (model) => new Anthropic({ baseURL: model.url, apiKey: "sk-test", maxRetries: 0 });

// What the SDK's own helper makes of it.
function read(model, more = {}, options) {
  return client(model)
    .messages.stream({ ...BODY, ...more }, options)
    .finalMessage();
}

const calls = ({ content }) =>
  content.flatMap(({ type, name, input }) =>
    type === "tool_use" ? { name, arguments: input } : [],
  );
const block = ({ content }, kind) => content.find(({ type }) => type === kind);

export const scenarios = [
  {
    name: "anthropic: text, thoughts, tool calls, usage; what was asked is kept",
    async run(model) {
      model.script([{ ...FULL, redacted: "hidden==" }]);
      const message = await read(model);
      assert.equal(block(message, "text").text, TEXT);
      assert.equal(block(message, "thinking").thinking, THOUGHT);
      assert.ok(block(message, "thinking").signature.length > 0);
      assert.equal(block(message, "redacted_thinking").data, "hidden==");
      assert.deepEqual(calls(message), CALLS);
      assert.equal(message.stop_reason, "tool_use");
      const { usage } = message;
      assert.equal(usage.cache_read_input_tokens, USAGE.cached);
      assert.equal(usage.cache_creation_input_tokens, USAGE.cacheWritten);
      assert.equal(usage.input_tokens, USAGE.input - USAGE.cached - USAGE.cacheWritten);
      assert.equal(usage.output_tokens, USAGE.output);
      const [{ headers, conversation }] = model.requests;
      assert.ok([headers["x-api-key"], headers.authorization].join().includes("sk-test"));
      assert.equal(conversation.system, "Be brief.");
      assert.deepEqual(conversation.toolNames, ["read", "grep", "list"]);
      assert.equal(conversation.userText, "Hello");
      // The thought is taken back with its seal.
      const results = message.content
        .filter(({ type }) => type === "tool_use")
        .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "fine" }));
      const messages = [
        ...BODY.messages,
        { role: "assistant", content: message.content },
        { role: "user", content: results },
      ];
      model.script([{ text: "done" }]);
      assert.equal(block(await read(model, { messages }), "text").text, "done");
      // But not if somebody has changed it.
      const changed = structuredClone(messages);
      block(changed[1], "thinking").thinking += "!";
      model.script([{ text: "done" }]);
      await assert.rejects(read(model, { messages: changed }), Anthropic.BadRequestError);
      assert.equal(model.problems.splice(0).length, 1);
      const { lastResults } = model.requests[1].conversation;
      assert.deepEqual(
        lastResults.map(({ text }) => text),
        ["fine", "fine", "fine"],
      );
    },
  },
  {
    name: "anthropic: every stop reason",
    async run(model) {
      const reasons = {
        end_turn: { text: "x" },
        tool_use: { toolCalls: CALLS },
        max_tokens: { text: "x", stop: "max_tokens" },
        refusal: { refusal: "I cannot do that." },
      };
      for (const [reason, answer] of Object.entries(reasons)) {
        model.script([answer]);
        assert.equal((await read(model)).stop_reason, reason);
      }
    },
  },
  {
    name: "anthropic: HTTP errors",
    async run(model) {
      const errors = {
        400: Anthropic.BadRequestError,
        401: Anthropic.AuthenticationError,
        429: Anthropic.RateLimitError,
        500: Anthropic.InternalServerError,
        529: Anthropic.InternalServerError,
      };
      for (const [status, type] of Object.entries(errors)) {
        model.script([{ status: Number(status), retryAfter: 7, message: "because" }]);
        await assert.rejects(read(model), (error) => {
          assert.ok(error instanceof type, `${status}: ${error.constructor.name}`);
          assert.equal(error.headers.get("retry-after"), "7");
          assert.match(error.message, /because/);
          return true;
        });
      }
    },
  },
  {
    name: "anthropic: broken off, an error in the stream, what is no event",
    async run(model) {
      model.script([{ text: TEXT, truncateAfter: 600 }]);
      await assert.rejects(read(model), /terminated|Premature|aborted|ECONNRESET|Connection error/);
      model.script([{ text: TEXT, truncateAfter: 600, cleanly: true }]);
      await assert.rejects(read(model), Anthropic.AnthropicError);
      model.script([{ text: TEXT, errorAfter: 1, error: { message: "out of steam" } }]);
      await assert.rejects(read(model), (error) => {
        assert.ok(error instanceof Anthropic.APIError, error.constructor.name);
        assert.match(error.message, /out of steam/);
        return true;
      });
      model.script([{ text: TEXT, malformedAfter: 1, malformed: "{{" }]);
      await assert.rejects(read(model));
    },
  },
  {
    name: "anthropic: one that hangs sees that the client has gone",
    async run(model) {
      model.script([{ text: TEXT, hangAfter: 700 }]);
      const leaving = new AbortController();
      const reading = read(model, {}, { signal: leaving.signal });
      reading.catch(() => {});
      await model.request(0);
      for (let i = 0; i < 5; ++i) await client(model).models.list(); // had it ended, we would know
      leaving.abort();
      await assert.rejects(reading, Anthropic.APIUserAbortError);
      assert.equal(await model.requests[0].aborted, true);
    },
  },
  {
    name: "anthropic: pieces pass the gate one by one",
    async run(model) {
      const gate = new Gate();
      model.script([{ text: TEXT, gate }]);
      const stream = client(model).messages.stream(BODY);
      let seen = "";
      let heard = () => {};
      stream.on("text", (delta) => ((seen += delta), heard()));
      for (let i = 0; i < 3; ++i) {
        await gate.someoneWaits();
        const before = seen;
        const next = new Promise((resolve) => (heard = resolve));
        gate.release();
        await next;
        assert.ok(seen.length > before.length && seen.length < TEXT.length);
      }
      gate.open();
      assert.equal(await stream.finalText(), TEXT);
    },
  },
  {
    name: `anthropic: ${SEEDS} random cuts of the bytes change nothing`,
    minutes: 5,
    async run(model) {
      const answer = { ...FULL, signature: "seal==", toolCalls: CALLS.map(withId) };
      model.script([answer]);
      const whole = await read(model);
      for (let chunking = 0; chunking < SEEDS; ++chunking) {
        model.script([{ ...answer, chunking, seed: chunking, ...WRITINGS[chunking % 3] }]);
        const cut = await read(model);
        assert.deepEqual({ ...cut, id: whole.id }, whole, `seed ${chunking}`);
      }
    },
  },
  {
    name: "anthropic: its list of models",
    async run(model) {
      const ids = [];
      for await (const { id } of client(model).models.list()) ids.push(id);
      assert.deepEqual(ids, ["test-model"]);
    },
  },
];

function withId(call, index) {
  return { ...call, id: `toolu_${index}` };
}
