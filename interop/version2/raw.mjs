// A client that writes lines, for what an SDK's client does not write.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { within } from "../deadline.mjs";
import { Transcript } from "../wire.mjs";

export const INFO = { name: "raw", version: "1" };

export class Raw {
  transcript = new Transcript();
  #lastId = 0;
  #lines;

  constructor({ program, args = [], env = {} }) {
    this.child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.child.stdin.on("error", () => {}); // its exit says more
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  // What is no message is not in the transcript.
  line(text) {
    this.child.stdin.write(`${text}\n`);
  }
  send(message) {
    const isMessage = !("id" in message) || typeof message.id === "string";
    if (isMessage) this.transcript.add("client", message);
    this.line(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async message() {
    const { value } = await within(this.#lines.next(), "a line of the agent's");
    const message = JSON.parse(value);
    this.transcript.add("agent", message);
    return message;
  }
  // The next message without a method.
  async answer() {
    for (;;) {
      const message = await this.message();
      if (!("method" in message)) return message;
    }
  }
  // The answer to this request.
  request(method, params, id = `r${++this.#lastId}`) {
    this.send({ id, method, ...(params !== undefined && { params }) });
    return this.answer();
  }

  async end() {
    const exited = once(this.child, "exit");
    this.child.stdin.end();
    const [code, signal] = await within(exited, "the agent's end after its input was closed");
    return signal ?? code;
  }
  kill() {
    this.child.kill("SIGKILL");
  }
}
