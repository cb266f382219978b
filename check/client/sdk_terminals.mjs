// The terminals of sdk_client.mjs: a process group each, their output kept as bytes.
import { spawn } from "node:child_process";

import { RequestError } from "@agentclientprotocol/sdk";

export class Terminals {
  #all = new Map();
  #count = 0;

  create({ command, args, env, cwd, outputByteLimit }, home) {
    const shell = !args?.length;
    const child = spawn(command, args ?? [], {
      shell,
      detached: true,
      cwd: cwd ?? home,
      env: { ...process.env, ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const terminal = { child, data: Buffer.alloc(0), truncated: false, exitStatus: undefined };
    terminal.ended = new Promise((done) => {
      const end = (exitCode, signal) => done((terminal.exitStatus ??= { exitCode, signal }));
      child.on("error", () => end(127, null));
      child.on("close", end);
    });
    const take = (piece) => {
      terminal.data = Buffer.concat([terminal.data, piece]);
      if (outputByteLimit == null || terminal.data.length <= outputByteLimit) return;
      terminal.truncated = true;
      let start = terminal.data.length - outputByteLimit;
      while (start < terminal.data.length && (terminal.data[start] & 0xc0) === 0x80) start++;
      terminal.data = terminal.data.subarray(start);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const terminalId = `term-${++this.#count}`;
    this.#all.set(terminalId, terminal);
    return { terminalId };
  }

  #find(terminalId) {
    const terminal = this.#all.get(terminalId);
    if (!terminal) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }

  #kill({ child, exitStatus }) {
    if (exitStatus || child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }

  output({ terminalId }) {
    const { data, truncated, exitStatus } = this.#find(terminalId);
    return { output: data.toString(), truncated, ...(exitStatus && { exitStatus }) };
  }

  wait({ terminalId }) {
    return this.#find(terminalId).ended;
  }

  kill({ terminalId }) {
    this.#kill(this.#find(terminalId));
    return {};
  }

  release({ terminalId }) {
    this.#kill(this.#find(terminalId));
    this.#all.delete(terminalId);
    return {};
  }

  end() {
    for (const terminal of this.#all.values()) this.#kill(terminal);
  }
}
