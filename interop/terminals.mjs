// A client's terminals: commands in a process group each, their output kept.
import { spawn } from "node:child_process";
import { constants } from "node:os";

export class Terminals {
  #running = new Map();
  #count = 0;

  create({ command, args = [], cwd, env = [] }) {
    const terminalId = `term_${++this.#count}`;
    const child = spawn(command, args, {
      shell: args.length === 0,
      detached: true, // a group, so that all of it can be killed
      cwd,
      env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const terminal = { child, output: "", exitStatus: undefined };
    terminal.ended = new Promise((resolve) => {
      child.on("close", (exitCode, signal) => {
        terminal.exitStatus = { exitCode, signal };
        resolve(terminal.exitStatus);
      });
    });
    for (const pipe of [child.stdout, child.stderr])
      pipe.on("data", (chunk) => (terminal.output += chunk));
    this.#running.set(terminalId, terminal);
    return { terminalId };
  }

  output({ terminalId }) {
    const { output, exitStatus } = this.#running.get(terminalId);
    return { output, truncated: false, exitStatus };
  }

  wait({ terminalId }, signal) {
    const cancelled = new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    });
    return Promise.race([this.#running.get(terminalId).ended, cancelled]);
  }

  async kill({ terminalId }) {
    const terminal = this.#running.get(terminalId);
    this.#kill(terminal);
    await terminal.ended;
    return {};
  }

  release({ terminalId }) {
    this.#kill(this.#running.get(terminalId));
    this.#running.delete(terminalId);
    return {};
  }

  get open() {
    return this.#running.size;
  }

  end() {
    for (const terminal of this.#running.values()) this.#kill(terminal);
  }

  #kill({ child, exitStatus }) {
    if (exitStatus || child.pid === undefined) return;
    try {
      process.kill(-child.pid, constants.signals.SIGKILL);
    } catch {
      // it has ended by itself
    }
  }
}
