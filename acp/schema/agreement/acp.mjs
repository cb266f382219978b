// Our side: `acp schema check`, one process for all values of a type.
import { spawn } from "node:child_process";

// Gives {ok, value} or {ok, path, expected, got} for each text.
export function check(program, version, type, mode, texts) {
  const args = ["schema", "check", "--protocol", version.slice(1), ...mode, "--roundtrip", type];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    const output = [];
    child.on("error", reject);
    child.stdin.on("error", () => {}); // the exit code says more
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.on("close", (code, signal) => {
      const lines = Buffer.concat(output).toString().split("\n").slice(0, -1);
      if (code <= 1 && !signal && lines.length === texts.length)
        return resolve(lines.map((line) => JSON.parse(line)));
      const answers = `${lines.length} answers to ${texts.length} values`;
      reject(new Error(`acp ${args.join(" ")}: ${answers}, ${signal ?? `exit code ${code}`}`));
    });
    child.stdin.end(texts.map((text) => text + "\n").join(""));
  });
}
