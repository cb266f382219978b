// What a scenario plays on: a model's server, a place, and editors with an agent each.
import assert from "node:assert/strict";

import { ModelServer } from "../model_server.mjs";
import { Editor } from "./editor.mjs";
import { KEYS, Place } from "./place.mjs";
import { problemsOf } from "./validators.mjs";
import { Version2Editor } from "./version2_editor.mjs";

export class Stage {
  editors = [];
  place = new Place();
  keyMayBeStored = false;
  expectedProblems = []; // of the model's server: what a scenario does on purpose

  // `subcommand`: what stands before the arguments, ["agent"] but for the harness's own test.
  // `version`: of the protocol, which `schema` is of.
  static async open({ program, api, schema, version = 1, subcommand = ["agent"] }) {
    const stage = new Stage();
    Object.assign(stage, { program, api, schema, version, subcommand });
    stage.model = await ModelServer.start();
    return stage;
  }

  // The environment that leads to our server, with a key.
  environment(more = {}) {
    return this.place.environment({
      OPENAI_BASE_URL: `${this.model.url}/v1`,
      OPENAI_API_KEY: KEYS.openai,
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: KEYS.anthropic,
      ...more,
    });
  }

  arguments({ model = `${this.api}/test-model`, mode = "ask", more = [] } = {}) {
    if (this.subcommand.length === 0) return more;
    const chosen = model === null ? [] : ["--model", model]; // null: none, as in a new set-up
    const protocol = this.version === 1 ? [] : ["--protocol", String(this.version)];
    return [...this.subcommand, ...chosen, "--mode", mode, ...protocol, ...more];
  }

  // An agent that has been greeted. Options: model, mode, capabilities, environment, cwd.
  async start(options = {}) {
    const editor = this.spawn(options);
    await editor.initialize();
    return editor;
  }
  spawn({ environment = {}, capabilities, cwd = this.place.root, ...chosen } = {}) {
    const editor = new (this.version === 1 ? Editor : Version2Editor)({
      program: this.program,
      args: this.arguments(chosen),
      environment: this.environment(environment),
      cwd,
      capabilities,
      project: this.place.project,
    });
    this.editors.push(editor);
    return editor;
  }

  // The same with a session.
  async begin(options) {
    const editor = await this.start(options);
    await editor.newSession(options?.session);
    return editor;
  }

  script(answers) {
    this.model.script(answers);
  }
  // A turn of these answers.
  async play(editor, prompt, answers) {
    this.script(answers);
    return editor.turn(prompt);
  }
  get requests() {
    return this.model.requests;
  }
  get lastRequest() {
    return this.requests.at(-1);
  }

  // What holds after every scenario.
  async check() {
    for (const editor of this.editors)
      if (!editor.killed) assert.equal(await editor.end(), 0, `exit code; ${editor.stderr}`);
    for (const editor of this.editors) {
      assert.deepEqual(problemsOf(editor, this.schema), []);
      if (!editor.killed) assert.equal(editor.terminals.open, 0, "terminals left open");
    }
    assert.deepEqual(this.model.problems, this.expectedProblems, "what the model's server refused");
    this.#checkKeys();
  }

  #checkKeys() {
    const places = this.editors.flatMap(({ output, stderr }) => [
      ["stdout", output],
      ["stderr", Buffer.from(stderr)],
    ]);
    for (const { path, bytes } of this.place.files("."))
      if (!(this.keyMayBeStored && path.startsWith(this.place.home))) places.push([path, bytes]);
    for (const key of Object.values(KEYS))
      for (const [where, bytes] of places) assert.ok(!bytes.includes(key), `a key in ${where}`);
  }

  async close() {
    for (const editor of this.editors) if (editor.child.exitCode === null) await editor.kill();
    await this.model.stop();
    this.place.remove();
  }
}
