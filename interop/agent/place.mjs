// A place of its own for each scenario: a home, and a project to work on.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const KEYS = { openai: "sk-openai-SECRET-4711", anthropic: "sk-ant-SECRET-4712" };

export class Place {
  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "acp-agent-")));
    this.home = this.folder("home");
    this.project = this.folder("project");
    this.write("notes.txt", "alpha\nbeta\ngamma\n");
    this.write("src/main.c", "#include <stdio.h>\nint main(void) {\n  return 0;\n}\n");
  }

  folder(name) {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  // Paths are relative to the project.
  path(name) {
    return join(this.project, name);
  }
  write(name, text) {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }
  read(name) {
    return readFileSync(this.path(name), "utf8");
  }
  has(name) {
    return existsSync(this.path(name));
  }

  // A file of the user's configuration.
  configure(name, text) {
    const path = join(this.folder("home/config/acp"), name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  // Nothing of the machine's own but where programs are found.
  environment(more = {}) {
    const kept = {};
    for (const name of ["PATH", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"])
      if (process.env[name] !== undefined) kept[name] = process.env[name];
    const all = {
      ...kept,
      HOME: this.home,
      TMPDIR: this.folder("tmp"),
      XDG_CONFIG_HOME: this.folder("home/config"),
      XDG_DATA_HOME: this.folder("home/data"),
      XDG_STATE_HOME: this.folder("home/state"),
      XDG_CACHE_HOME: this.folder("home/cache"),
      ...more,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  // Every file below a folder of the place, with its bytes.
  files(name) {
    return readdirSync(join(this.root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path, mode: statSync(path).mode & 0o777, bytes: readFileSync(path) }));
  }

  remove() {
    for (const each of ["home", "project"])
      if (existsSync(join(this.root, each))) chmodSync(join(this.root, each), 0o700);
    rmSync(this.root, { recursive: true, force: true });
  }
}
