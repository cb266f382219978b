// An agent on the official SDK that tries everything a client's workspace offers: `fs` and `terminal`
// methods with every parameter. The prompt names a part; what it says is a list of what was not as it
// should be, and "all well: N checks" if nothing was. run_test.mjs drives it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";

import * as sdk from "@agentclientprotocol/sdk";

const { methods } = sdk;
let cwd = "";
let checks = 0;

const text = (...pieces) => pieces.join("\n") + "\n";

// What the client answers, or `code: …` of its error.
class Workspace {
  constructor(client, sessionId) {
    this.client = client;
    this.sessionId = sessionId;
  }
  ask(method, params) {
    return this.client.request(method, { sessionId: this.sessionId, ...params });
  }
  async code(method, params) {
    ++checks;
    try {
      await this.ask(method, params);
      return "no error";
    } catch (error) {
      return error.code ?? `${error}`;
    }
  }
  async read(params) {
    return (await this.ask("fs/read_text_file", params)).content;
  }
  async create(params) {
    return (await this.ask("terminal/create", params)).terminalId;
  }
  output(terminalId) {
    return this.ask("terminal/output", { terminalId });
  }
  wait(terminalId) {
    return this.ask("terminal/wait_for_exit", { terminalId });
  }
  release(terminalId) {
    return this.ask("terminal/release", { terminalId });
  }
  // The end of a command, all of it.
  async run(params) {
    const terminalId = await this.create(params);
    const exit = await this.wait(terminalId);
    const { output, truncated, exitStatus } = await this.output(terminalId);
    await this.release(terminalId);
    assert.deepEqual(exitStatus, exit);
    return { output, truncated, exitCode: exit.exitCode ?? null, signal: exit.signal ?? null };
  }
}

const same = (actual, expected, what) => {
  ++checks;
  assert.deepEqual(actual, expected, what);
};

const parts = {
  async files(place) {
    const path = `${cwd}/lines.txt`;
    writeFileSync(path, text("one", "two", "three", "four"));
    same(await place.read({ path }), text("one", "two", "three", "four"));
    same(await place.read({ path, line: 2 }), text("two", "three", "four"));
    same(await place.read({ path, limit: 2 }), text("one", "two"));
    same(await place.read({ path, line: 3, limit: 1 }), text("three"));
    same(await place.read({ path, line: 0, limit: 1 }), text("one"), "0 is taken as 1");
    same(await place.read({ path, line: null, limit: null }), readFileSync(path, "utf8"));
    same(await place.read({ path, line: 99 }), "");
    same(await place.read({ path, limit: 0 }), "");
    const missing = `${cwd}/none.txt`;
    try {
      await place.read({ path: missing });
      assert.fail("a file that is not there was read");
    } catch (error) {
      same([error.code, error.data?.path], [-32002, missing]);
    }
    for (const bad of ["lines.txt", "/etc/hostname", `${cwd}/../up.txt`])
      assert.notEqual(await place.code("fs/read_text_file", { path: bad }), "no error", bad);
    assert.notEqual(await place.code("fs/read_text_file", { path: cwd }), "no error", "a directory");
    const content = "new\r\n漢字\n";
    await place.ask("fs/write_text_file", { path: `${cwd}/deep/er/new.txt`, content }).then(
      () => same(readFileSync(`${cwd}/deep/er/new.txt`, "utf8"), content),
      async () => {
        await place.ask("fs/write_text_file", { path: `${cwd}/new.txt`, content });
        same(readFileSync(`${cwd}/new.txt`, "utf8"), content);
      },
    );
    await place.ask("fs/write_text_file", { path, content: "" });
    same(readFileSync(path, "utf8"), "");
    for (const bad of ["new.txt", "/tmp/outside-of-all", `${cwd}/../up.txt`])
      assert.notEqual(await place.code("fs/write_text_file", { path: bad, content: "x" }), "no error", bad);
    assert.ok(!existsSync("/tmp/outside-of-all"));
    assert.notEqual(
      await place.code("fs/read_text_file", { path, sessionId: "another" }),
      "no error",
      "another session",
    );
  },

  async terminals(place) {
    same(await place.run({ command: "printf", args: ["%s|", "a b", "$HOME", ";", "*"] }), {
      ...{ output: "a b|$HOME|;|*|", truncated: false, exitCode: 0, signal: null },
    });
    same((await place.run({ command: "echo one && echo two >&2; exit 7" })).exitCode, 7);
    same((await place.run({ command: "pwd" })).output, text(cwd), "the session's directory");
    same((await place.run({ command: "pwd", cwd: "/proc/self/cwd/.." }).catch(() => "refused")), "refused");
    assert.notEqual(await place.code("terminal/create", { command: "pwd", cwd: "/" }), "no error");
    assert.notEqual(await place.code("terminal/create", { command: "pwd", cwd: `${cwd}/none` }), "no error");
    const env = [
      { name: "MINE", value: "a value" },
      { name: "TERM", value: "other" },
    ];
    same((await place.run({ command: 'echo "$MINE|$TERM|$PAGER|$HOME"', env })).output.split("|").length, 4);
    same((await place.run({ command: 'echo "$MINE"', env })).output, "a value\n");
    same((await place.run({ command: "echo $TERM $PAGER; test -t 1 && echo tty; cat" })).output, text("dumb cat", "tty"));
    const cut = await place.run({ command: "printf 'x€€€€'", outputByteLimit: 7 });
    same([cut.output, cut.truncated], ["€€", true], "cut between characters");
    const none = await place.run({ command: "echo x", outputByteLimit: 0 });
    same([none.output, none.truncated], ["", true]);
    const whole = await place.run({ command: "echo x", outputByteLimit: 2 });
    same([whole.output, whole.truncated], ["x\n", false]);
    same((await place.run({ command: "printf 'a\\377b'" })).output, "a\uFFFDb", "bad UTF-8");
    const signal = await place.run({ command: "kill -TERM $$" });
    same([signal.exitCode, signal.signal], [null, "SIGTERM"]);

    // While it runs, killed, and released.
    const id = await place.create({ command: "echo begun; exec sleep 1000" });
    let now = await place.output(id);
    while (now.output !== "begun\n") now = await place.output(id);
    same([now.truncated, now.exitStatus ?? null], [false, null]);
    const waiters = [place.wait(id), place.wait(id), place.wait(id)];
    await place.ask("terminal/kill", { terminalId: id });
    for (const exit of await Promise.all(waiters)) same([exit.exitCode ?? null, exit.signal], [null, "SIGKILL"]);
    same((await place.output(id)).output, "begun\n", "it stays after a kill");
    same((await place.wait(id)).signal, "SIGKILL");
    const other = { sessionId: "another", terminalId: id };
    same(await place.code("terminal/output", other), -32002, "another session's");
    await place.release(id);
    for (const name of ["output", "wait_for_exit", "kill", "release"])
      same(await place.code(`terminal/${name}`, { terminalId: id }), -32002, name);
    const many = await Promise.all(
      Array.from({ length: 30 }, (_, i) => place.run({ command: "echo", args: [`${i}`] })),
    );
    same(many.map(({ output }) => output), Array.from({ length: 30 }, (_, i) => `${i}\n`));
  },

  // One after another; the client is this process's parent.
  async thousand(place) {
    const client = `/proc/${process.ppid}`;
    const descriptors = () => readdirSync(`${client}/fd`).length;
    const children = () =>
      readdirSync(`${client}/task`)
        .map((task) => readFileSync(`${client}/task/${task}/children`, "utf8").trim())
        .join(" ")
        .split(" ")
        .filter(Boolean).length;
    const kilobytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${client}/status`, "utf8"))[1]);
    const ids = new Set();
    const once = async () => {
      const terminalId = await place.create({ command: "echo", args: ["x"] });
      ids.add(terminalId);
      await place.wait(terminalId);
      same((await place.output(terminalId)).output, "x\n");
      await place.release(terminalId);
    };
    for (let i = 0; i < 50; ++i) await once();
    const before = { fds: descriptors(), children: children(), kilobytes: kilobytes() };
    for (let i = 0; i < 1000; ++i) await once();
    same(ids.size, 1050, "no id is used twice");
    same(descriptors(), before.fds, "descriptors");
    same(children(), before.children, "processes");
    const grown = kilobytes() - before.kilobytes;
    ++checks;
    assert.ok(grown < 8192, `${grown} kB more after a thousand terminals`);
  },

  // Each has two children, one in a session of its own, down to a depth: 63 processes.
  async bomb(place) {
    writeFileSync(
      `${cwd}/grow.sh`,
      'trap "" TERM HUP INT; echo $$; n=$1; [ $n -gt 0 ] && { sh $0 $((n-1)) & setsid sh $0 $((n-1)) & }; sleep 1000\n',
    );
    const id = await place.create({ command: "sh", args: [`${cwd}/grow.sh`, "5"] });
    let pids = [];
    while (pids.length < 63) pids = (await place.output(id)).output.trim().split("\n").filter(Boolean);
    const lives = (pid) => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
      } catch {
        return false;
      }
    };
    assert.ok(pids.every(lives));
    await place.release(id);
    same(pids.filter(lives), [], "nothing of it is left");
  },
};

sdk
  .agent({ name: "workspace-agent" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    cwd = params.cwd;
    return { sessionId: "w" };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const place = new Workspace(client, params.sessionId);
    const part = params.prompt[0].text.trim();
    let told;
    try {
      await parts[part](place);
      told = `${part}: all well: ${checks} checks`;
    } catch (error) {
      told = `${part}: NOT WELL: ${error.message ?? error}`;
    }
    await client.notify("session/update", {
      sessionId: params.sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: told } },
    });
    return { stopReason: "end_turn" };
  })
  .connect(sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
