// `acp connect` under clients that people use: `connect_test.mjs ACP [ACPX]`. The official SDK's client over
// stdio, and acpx where it is given; at the other end `acp serve` with the built-in agent.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { Editor } from "../agent/editor.mjs";
import { Place } from "../agent/place.mjs";
import { of, said, toolCalls } from "../agent/views.mjs";
import { within } from "../deadline.mjs";
import { lineThat } from "./lines.mjs";

const acp = resolve(process.argv[2]);
const acpxProgram = process.argv[3];
const place = new Place();
const there = place.folder("there");
const tokenFile = join(place.root, "token");
writeFileSync(tokenFile, "a-token-of-the-test\n", { mode: 0o600 });
writeFileSync(join(there, "notes.txt"), "what the server has\n");
const environment = place.environment({ no_proxy: "*" });
const children = [];

async function serve(port = 0) {
  const options = ["--listen", `127.0.0.1:${port}`, "--token-file", tokenFile];
  const roots = ["--root", there, "--root", place.project];
  const agent = ["--", acp, "agent", "--model", "offline", "--mode", "ask"];
  const child = spawn(acp, ["serve", ...options, ...roots, ...agent], {
    cwd: there,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  const ended = once(child, "exit");
  const [url] = await within(lineThat(child.stderr, /http:\S+\/acp/), "the server's address");
  return { child, url, port: Number(new URL(url).port), ended };
}

function connect(url, ...options) {
  const editor = new Editor({
    program: acp,
    args: ["connect", url, "--token-file", tokenFile, ...options],
    environment,
    cwd: place.root,
    project: place.project,
  });
  children.push(editor.child);
  return editor;
}

// A turn with a question, the editor's unsaved text, its terminal; paths by their names here.
async function wholeTurn(scheme) {
  const server = await serve();
  const editor = connect(
    server.url.replace("http", scheme),
    "--map",
    `${place.project}=${there}`,
  );
  await editor.initialize();
  await editor.newSession();
  const notes = place.write("notes.txt", "saved\n");
  editor.buffers.unsaved.set(notes, "alpha\nunsaved\n");
  const turn = await editor.turn(
    "show notes.txt; replace unsaved with BETTER in notes.txt; run pwd && cat notes.txt",
  );
  assert.equal(turn.stopReason, "end_turn");
  assert.deepEqual(editor.permissions.kinds(), ["edit", "execute"]);
  assert.equal(place.read("notes.txt"), "alpha\nBETTER\n");
  assert.ok(editor.calls("fs/read_text_file").every(({ path }) => path === notes));
  const [terminal] = editor.calls("terminal/create");
  assert.equal(terminal.cwd, place.project);
  const calls = toolCalls(turn.updates);
  const edit = calls.find(({ kind }) => kind === "edit");
  const diff = edit.content.find(({ type }) => type === "diff");
  assert.equal(diff.path, notes);
  assert.ok(calls.every(({ locations = [] }) => locations.every(({ path }) => !path.startsWith(there))));
  assert.equal(await editor.end(), 0);
  server.child.kill();
  const [code] = await within(server.ended, "the end of the server");
  assert.equal(code, 0);
}

// Killed and started again in the middle of a turn, and while a question is open.
async function aBreak(scheme) {
  let server = await serve();
  const editor = connect(server.url.replace("http", scheme));
  await editor.initialize();
  await editor.newSession();
  await editor.turn("say the first turn");

  for (const prompt of ["run sleep 1000", "create new.txt with text"]) {
    const asks = prompt.startsWith("create");
    // Over HTTP the prompt may fail first: its session's stream ends before the connection's.
    const withdrawn = new Promise((done) => {
      if (!asks) return done();
      editor.permissions.then(async (_params, { signal }) => {
        if (!signal.aborted) await once(signal, "abort");
        done();
        return "cancelled";
      });
    });
    const since = editor.mark();
    const running = editor.prompt(prompt);
    await editor.transcript.asked(asks ? "session/request_permission" : "terminal/create", since);
    server.child.kill("SIGKILL");
    await assert.rejects(running, /the connection to the remote agent was lost: |the session's stream: /);
    await within(server.ended, "the end of the server");
    await within(withdrawn, "the end of the question");
    const asked = editor.turn("say here again");
    server = await serve(server.port);
    const turn = await asked;
    assert.equal(turn.stopReason, "end_turn");
    assert.match(said(turn.updates), /^here again\n/);
  }
  assert.match(editor.stderr, /the connection was lost: .*; trying again/);
  assert.match(editor.stderr, /lost: the answers to \d+ requests/);
  assert.match(editor.stderr, /connected again, with 1 session/);
  assert.equal(await editor.end(), 0);
  // It has all that was said. While another agent has it open, it cannot be loaded.
  server.child.kill();
  await within(server.ended, "the end of the server");
  server = await serve();
  const again = connect(server.url);
  await again.initialize();
  const { updates } = await again.open("session/load", editor.sessionId);
  const prompts = of(updates, "user_message_chunk").map(({ content }) => content.text);
  assert.equal(prompts[0], "say the first turn");
  assert.equal(prompts.filter((text) => text === "say here again").length, 2);
  assert.equal(await again.end(), 0);
  server.child.kill();
}

async function acpx(program) {
  const server = await serve();
  place.write("notes.txt", "alpha\n");
  const command = `${acp} connect ${server.url} --token-file ${tokenFile}`;
  const options = ["--approve-all", "--cwd", place.project, "--agent", command, "exec"];
  const prompt = "show notes.txt; replace alpha with BETTER in notes.txt; run echo it works; say done";
  const run = new Promise((done) => {
    const words = [program, ...options, prompt];
    const env = { ...environment, XDG_STATE_HOME: place.folder("home/state") };
    children.push(
      execFile(process.execPath, words, { cwd: place.project, env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, stderr }),
      ),
    );
  });
  const { code, stdout, stderr } = await within(run, "the end of acpx");
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.match(stdout, /it works/);
  assert.match(stdout, /done/);
  assert.equal(place.read("notes.txt"), "BETTER\n");
  server.child.kill();
}

try {
  for (const scheme of ["http", "ws"]) {
    await wholeTurn(scheme);
    await aBreak(scheme);
  }
  if (acpxProgram) await acpx(resolve(acpxProgram));
  const clients = `the SDK's client${acpxProgram ? " and acpx" : ""}`;
  console.log(`${clients}: a remote agent is reached by acp connect`);
} finally {
  for (const child of children) child.kill("SIGKILL");
  place.remove();
}
