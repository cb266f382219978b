// What the SDKs do not look at: that cuts are cuts, that bad requests are refused, that probes are
// answered.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";

import { TEXT } from "./answers.mjs";

const BODIES = {
  "/v1/chat/completions": { model: "m", stream: true, messages: [{ role: "user", content: "x" }] },
  "/v1/messages": {
    model: "m",
    stream: true,
    max_tokens: 9,
    messages: [{ role: "user", content: "x" }],
  },
};
const HEADERS = { "x-api-key": "k", "anthropic-version": "2023-06-01" };

const post = (model, path, body, headers = HEADERS) =>
  fetch(model.url + path, { method: "POST", headers, body: JSON.stringify(body) });

// The pieces of an answer as they came: fetch would put some together again.
async function pieces(model, path) {
  const response = await new Promise((resolve) =>
    request(model.url + path, { method: "POST", headers: HEADERS }, resolve).end(
      JSON.stringify(BODIES[path]),
    ),
  );
  const list = [];
  response.on("data", (piece) => list.push(piece));
  await once(response, "end");
  return list;
}

// Requests that each server would refuse, as changes of a good one.
const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const use = { type: "tool_use", id: "a", name: "f", input: {} };
const user = { role: "user", content: "x" };
const BAD = {
  "/v1/chat/completions": [
    { messages: [] },
    { model: undefined },
    { messages: [user, { role: "assistant", content: null, tool_calls: [call] }] },
    { messages: [user, { role: "assistant", content: null, tool_calls: [call] }, user] },
    { messages: [user, { role: "tool", tool_call_id: "a", content: "" }] },
    { tools: [{ type: "function", function: { name: "a b", parameters: { type: "object" } } }] },
    { tools: [{ type: "function", function: { name: "a" } }] },
  ],
  "/v1/messages": [
    { max_tokens: undefined },
    { messages: [{ role: "assistant", content: "x" }] },
    { messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
    { messages: [{ role: "user", content: [] }] },
    { messages: [user, { role: "assistant", content: [use] }, user] },
    {
      messages: [
        user,
        { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "forged" }] },
        user,
      ],
    },
  ],
};

export const scenarios = [
  {
    name: "cuts fall everywhere: inside characters, fields and line ends",
    async run(model) {
      let inCharacters = 0;
      let inFields = 0;
      for (let chunking = 0; chunking < 50; ++chunking) {
        model.script([{ text: TEXT, chunking, newline: "\r\n" }]);
        const list = await pieces(model, "/v1/messages");
        for (const piece of list.slice(1)) {
          if ((piece[0] & 0xc0) === 0x80) ++inCharacters;
          if (/^(ata|ta|a|vent|ent|nt|t): /.test(piece.toString("latin1"))) ++inFields;
        }
      }
      assert.ok(inCharacters > 10, `${inCharacters} inside characters`);
      assert.ok(inFields > 10, `${inFields} inside fields`);
    },
  },
  {
    name: "bytes are counted: cut and hung where the script says",
    async run(model) {
      for (const path of Object.keys(BODIES))
        for (const size of [1, 17, 333]) {
          model.script([{ text: TEXT, truncateAfter: size, cleanly: true }]);
          const bytes = Buffer.concat(await pieces(model, path));
          assert.equal(bytes.length, size);
        }
    },
  },
  {
    name: "bad requests are refused, and told to the test",
    async run(model) {
      model.script(() => ({ text: "fine" }));
      for (const [path, changes] of Object.entries(BAD))
        for (const change of changes) {
          const response = await post(model, path, { ...BODIES[path], ...change });
          assert.equal(response.status, 400, JSON.stringify(change));
          await response.text();
          assert.equal(model.problems.length, 1);
          model.problems.length = 0;
        }
      const keyless = await post(model, "/v1/messages", BODIES["/v1/messages"], {});
      assert.equal(keyless.status, 401);
      model.problems.length = 0;
      // What nobody has scripted is a problem, too.
      model.script([]);
      const unscripted = await post(model, "/v1/messages", BODIES["/v1/messages"]);
      assert.equal(unscripted.status, 400);
      assert.equal(model.problems.length, 1);
      model.problems.length = 0;
    },
  },
  {
    name: "probes: as llama-server where it is one",
    async run(model) {
      const get = async (path) => (await fetch(model.url + path)).status;
      assert.equal(await get("/health"), 404);
      model.llama = { contextSize: 4096 };
      assert.equal(await get("/health"), 200);
      const props = await (await fetch(`${model.url}/props`)).json();
      assert.equal(props.default_generation_settings.n_ctx, 4096);
      assert.deepEqual(model.probes, ["/health", "/health", "/props"]);
    },
  },
  {
    name: "redirects",
    async run(model) {
      model.script([{ status: 307, location: "http://127.0.0.1:1/elsewhere" }]);
      const path = "/v1/messages";
      const body = JSON.stringify(BODIES[path]);
      const options = { method: "POST", headers: HEADERS, body, redirect: "manual" };
      const response = await fetch(model.url + path, options);
      assert.equal(response.status, 307);
      assert.equal(response.headers.get("location"), "http://127.0.0.1:1/elsewhere");
    },
  },
];
