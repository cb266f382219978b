// `acp connect` under clients that people use: `connect_test.mjs ACP [ACPX]`. The official SDK's client over
// stdio, and acpx where it is given; at the other end `acp serve` with the built-in agent.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, writeFileSync } from "node:fs";
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

// What one command of acpx says, and its exit code.
function acpx(program, url, ...words) {
  const command = `${acp} connect ${url} --token-file ${tokenFile}`;
  // Its process for the session must not stay for long where this test fails.
  const options = ["--approve-all", "--ttl", "60", "--cwd", place.project, "--agent", command];
  const env = { ...environment, XDG_STATE_HOME: place.folder("home/state") };
  const run = [program, ...options, ...words];
  return new Promise((done) => {
    children.push(
      execFile(process.execPath, run, { cwd: place.project, env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, all: `${stdout}\n${stderr}` }),
      ),
    );
  });
}

async function acpxTurn(program) {
  const server = await serve();
  place.write("notes.txt", "alpha\n");
  const prompt = "show notes.txt; replace alpha with BETTER in notes.txt; run echo it works; say done";
  const run = acpx(program, server.url, "exec", prompt);
  const { code, stdout, all } = await within(run, "the end of acpx");
  assert.equal(code, 0, all);
  assert.match(stdout, /it works/);
  assert.match(stdout, /done/);
  assert.equal(place.read("notes.txt"), "BETTER\n");
  server.child.kill();
}

// The server is killed in the middle of a turn, and started again; acpx keeps its agent, which is acp connect,
// from one prompt to the next.
async function acpxBreak(program, scheme) {
  let server = await serve();
  const url = server.url.replace("http", scheme);
  const ask = (...words) => within(acpx(program, url, ...words), `the end of acpx ${words[0]}`);
  const made = await ask("sessions", "new");
  assert.equal(made.code, 0, made.all);
  const sessionId = made.stdout.trim().split("\n").at(-1);
  try {
    const first = await ask("prompt", "say the first turn");
    assert.equal(first.code, 0, first.all);
    assert.match(first.stdout, /the first turn/);

    const gate = join(place.root, `gate-${scheme}`);
    execFileSync("mkfifo", [gate]);
    const command = createReadStream(gate); // ends with the command
    const broken = ask("prompt", `say before; run exec >${gate} && echo runs && exec sleep 1000`);
    await within(lineThat(command, /runs/), "the command");
    const commandEnded = once(command, "end");
    server.child.kill("SIGKILL");
    await within(server.ended, "the end of the server");
    // What is lost has a name, and nothing of it goes on.
    const lost = await broken;
    assert.notEqual(lost.code, 0, lost.all);
    assert.match(lost.stdout, /before/);
    assert.match(lost.all, /the connection to the remote agent was lost: |the session's stream: /);
    await within(commandEnded, "the end of the command");

    // This prompt waits for the server.
    const waiting = ask("prompt", "say here again");
    server = await serve(server.port);
    const again = await waiting;
    assert.equal(again.code, 0, again.all);
    assert.match(again.stdout, /was interrupted/);
    assert.match(again.stdout, /here again/);
    const more = await ask("prompt", "say and more");
    assert.equal(more.code, 0, more.all);
    assert.doesNotMatch(more.stdout, /was interrupted/);
  } finally {
    await ask("sessions", "close");
  }
  // One session has all of it.
  const reader = connect(server.url);
  await reader.initialize();
  const { updates } = await reader.open("session/load", sessionId);
  const prompts = of(updates, "user_message_chunk").map(({ content }) => content.text);
  assert.equal(prompts.length, 4);
  assert.equal(prompts[0], "say the first turn");
  assert.deepEqual(prompts.slice(2), ["say here again", "say and more"]);
  assert.equal(await reader.end(), 0);
  server.child.kill();
}

try {
  for (const scheme of ["http", "ws"]) {
    await wholeTurn(scheme);
    await aBreak(scheme);
  }
  if (acpxProgram) {
    const program = resolve(acpxProgram);
    await acpxTurn(program);
    for (const scheme of ["http", "ws"]) await acpxBreak(program, scheme);
  }
  const clients = `the SDK's client${acpxProgram ? " and acpx" : ""}`;
  console.log(`${clients}: a remote agent is reached by acp connect`);
} finally {
  for (const child of children) child.kill("SIGKILL");
  place.remove();
}
