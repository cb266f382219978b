// A named pipe that a command holds: it tells when the command has begun, and when all of it is gone.
import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { once } from "node:events";

import { within } from "../deadline.mjs";

export class Pipe {
  constructor(path) {
    execFileSync("mkfifo", [path]);
    this.reader = createReadStream(path);
    this.reader.on("error", () => {});
    this.gone = once(this.reader, "end");
    // A shell with a child, both of which hold the pipe.
    this.command = `exec 3>'${path}'; echo begun >&3; echo shown; sleep 1000 & wait`;
    this.reader.resume();
    this.begun = once(this.reader, "data");
  }

  untilBegun() {
    return within(this.begun, "the command's begin");
  }
  untilGone() {
    return within(this.gone, "the end of the command and its children");
  }
}
