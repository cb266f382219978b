// An editor's files: what is on the disk, and over it what is not saved yet.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export class Buffers {
  unsaved = new Map(); // path → text

  constructor(sdk) {
    this.sdk = sdk;
  }

  read({ path, line, limit }) {
    const lines = this.#text(path).split(/(?<=\n)/);
    const start = (line ?? 1) - 1;
    return { content: lines.slice(start, limit == null ? undefined : start + limit).join("") };
  }

  // Saved at once, as most editors do for an agent.
  write({ path, content }) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.unsaved.delete(path);
    return {};
  }

  #text(path) {
    if (this.unsaved.has(path)) return this.unsaved.get(path);
    try {
      return readFileSync(path, "utf8");
    } catch {
      throw this.sdk.RequestError.resourceNotFound(path);
    }
  }
}
