// Scenarios of an SDK client with our agent: the handshake, authentication, errors, extensions.
import assert from "node:assert/strict";

import { fails } from "./deadline.mjs";
import { CWD } from "./sdk_client.mjs";

export const scenarios = [
  {
    name: "initialize: capabilities, and version 1 whatever number was asked for",
    started: false,
    async run(editor, open) {
      const answer = await editor.initialize();
      assert.equal(answer.protocolVersion, 1);
      assert.equal(answer.agentInfo.name, "echo");
      assert.equal(answer.agentCapabilities.loadSession, true);
      for (const part of ["list", "resume", "close", "delete", "additionalDirectories"])
        assert.ok(answer.agentCapabilities.sessionCapabilities[part], part);
      for (const version of [65535, 0]) {
        const other = await open();
        assert.equal((await other.initialize(version)).protocolVersion, 1);
      }
    },
  },
  {
    name: "initialize: a version that is no number is refused, and can be asked for again",
    started: false,
    async run(editor, open) {
      // Over HTTP and WebSocket a connection has one attempt.
      const next = () => (editor.remote ? open() : editor);
      await fails(editor.initialize("1"), -32602);
      await fails((await next()).initialize("2025-01-01"), -32602);
      assert.equal((await (await next()).initialize()).protocolVersion, 1);
    },
  },
  {
    name: "nothing before initialize, and not twice",
    started: false,
    stdio: true, // elsewhere the transport sees to it: remote/status_test.mjs
    async run(editor) {
      await fails(editor.request("session/new", { cwd: CWD, mcpServers: [] }), -32600);
      await fails(editor.request("_echo/echo", {}), -32600);
      await editor.notify("_echo/note", { early: true });
      await editor.notify("session/cancel", { sessionId: "none" });
      await editor.initialize();
      await fails(editor.initialize(), -32600);
      await editor.newSession();
      assert.equal((await editor.turn("still there")).text, "still there");
      assert.ok(!editor.transcript.entries.some((e) => e.message.method === "_echo/noted"));
    },
  },
  {
    name: "authentication: required, done, retried, undone",
    args: ["--require-login"],
    async run(editor) {
      const wanted = { cwd: CWD, mcpServers: [] };
      const error = await fails(editor.request("session/new", wanted), -32000);
      assert.deepEqual(
        error.data.authMethods.map(({ id }) => id),
        ["password"],
      );
      await fails(editor.request("authenticate", { methodId: "magic" }), -32602);
      await fails(editor.request("session/new", wanted), -32000);
      assert.deepEqual(await editor.request("authenticate", { methodId: "password" }), {});
      await editor.newSession();
      assert.equal((await editor.turn("hello")).text, "hello");
      await editor.request("logout", {});
      await fails(editor.request("session/new", wanted), -32000);
    },
  },
  {
    name: "auth/status, and its updates after the answer that changed it",
    unstable: true,
    args: ["--require-login"],
    async run(editor) {
      const state = async () => (await editor.request("auth/status", {})).state;
      assert.equal(await state(), "unauthenticated");
      const steps = [
        ["authenticate", { methodId: "password" }, "authenticated"],
        ["logout", {}, "unauthenticated"],
      ];
      for (const [method, params, expected] of steps) {
        const since = editor.mark();
        await editor.request(method, params);
        const update = await editor.transcript.asked("auth/status_update", since);
        assert.equal(update.message.params.state, expected);
        const request = await editor.transcript.sent(method, since);
        const answer = await editor.transcript.answerTo(request);
        const { entries } = editor.transcript;
        assert.ok(entries.indexOf(answer) < entries.indexOf(update), "the answer comes first");
        assert.equal(await state(), expected);
      }
    },
  },
  {
    name: "errors: what a handler throws stays inside; what it means to say arrives whole",
    async run(editor) {
      await editor.newSession();
      const inner = await fails(editor.prompt("throw"), -32603);
      assert.ok(!JSON.stringify([inner.message, inner.data]).includes("secret"));
      const custom = await fails(editor.prompt("error -31999"), -31999);
      assert.equal(custom.message, "as you wish");
      assert.deepEqual(custom.data, { asked: true });
      // The client's errors, as the agent gets them.
      const told = (await editor.turn("try ext _client/fail {}")).text;
      assert.ok(told.startsWith("failed -31007 a custom error "), told);
      assert.deepEqual(JSON.parse(told.slice(told.indexOf("{"))), {
        deep: { list: [1, null, "x"] },
      });
    },
  },
  {
    name: "errors: unknown sessions are named, bad params have a path",
    async run(editor) {
      const sessionId = "nowhere";
      const open = { sessionId, cwd: CWD, mcpServers: [] };
      const requests = {
        "session/prompt": { sessionId, prompt: [] },
        "session/load": open,
        "session/resume": open,
        "session/set_mode": { sessionId, modeId: "ask" },
        "session/set_config_option": { sessionId, configId: "model", value: "large" },
      };
      if (editor.unstable)
        Object.assign(requests, {
          "session/fork": open,
          "session/archive": { sessionId },
          "session/unarchive": { sessionId },
          "session/status": { sessionId },
          "session/set_title": { sessionId, title: "x" },
        });
      for (const [method, params] of Object.entries(requests)) {
        const error = await fails(editor.request(method, params), -32002);
        assert.deepEqual(error.data, { sessionId }, method);
      }
      await editor.request("session/close", { sessionId });
      await editor.request("session/delete", { sessionId });
      const relative = { cwd: "project", mcpServers: [] };
      assert.equal(
        (await fails(editor.request("session/new", relative), -32602)).data.path,
        "params.cwd",
      );
      const bad = { cwd: CWD, mcpServers: [{ name: 7 }] };
      const { path } = (await fails(editor.request("session/new", bad), -32602)).data;
      assert.ok(path.startsWith("params.mcpServers[0]"), path);
    },
  },
  {
    name: "extensions and unknown methods, both ways",
    async run(editor) {
      await editor.newSession();
      const params = { deep: [{ x: 1.5 }, null, "ü"] };
      assert.deepEqual(await editor.request("_echo/echo", params), params);
      let since = editor.mark();
      await editor.notify("_echo/note", params);
      assert.deepEqual(
        (await editor.transcript.asked("_echo/noted", since)).message.params,
        params,
      );
      assert.equal((await fails(editor.request("_no/such", {}), -32601)).data.method, "_no/such");
      await fails(editor.request("session/no_such", {}), -32601);
      await editor.notify("_no/such", {});
      await editor.notify("session/no_such", {});
      // From the agent.
      assert.deepEqual(JSON.parse((await editor.turn('ext _client/custom {"a":[1]}')).text), {
        a: [1],
      });
      const told = (await editor.turn("try ext _no/such {}")).text;
      assert.ok(told.startsWith("failed -32601 "), told);
      since = editor.mark();
      await editor.turn('ext-notify _client/note {"n":1}');
      assert.deepEqual((await editor.transcript.asked("_client/note", since)).message.params, {
        n: 1,
      });
      assert.equal((await editor.turn("ext-notify _no/such {}")).stopReason, "end_turn");
    },
  },
  {
    name: "proxy methods, by raw handlers, both ways",
    async run(editor) {
      await editor.newSession();
      const start = { protocolVersion: 1, clientCapabilities: {} };
      assert.deepEqual(await editor.request("proxy/initialize", start), start);
      const inner = { method: "session/new", params: { cwd: CWD } };
      assert.deepEqual(await editor.request("proxy/successor", inner), inner);
      const since = editor.mark();
      await editor.notify("proxy/successor", inner);
      assert.deepEqual((await editor.transcript.asked("_echo/noted", since)).message.params, inner);
      const text = JSON.stringify(inner);
      assert.deepEqual(JSON.parse((await editor.turn(`ext proxy/successor ${text}`)).text), inner);
      assert.equal(
        (await editor.turn(`ext-notify proxy/successor ${text}`)).stopReason,
        "end_turn",
      );
    },
  },
];
