// A named pipe that a command holds: it tells when the command has begun, and when all of it is gone.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";

import { within } from "../deadline.mjs";

export class Pipe {
  constructor(path) {
    execFileSync("mkfifo", [path]);
    // Without a thread that waits in open(): a test that fails must be able to end.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd, readable: true, writable: false });
    this.begun = once(reader, "data");
    this.gone = once(reader, "end");
    for (const each of [this.begun, this.gone]) each.catch(() => {});
    reader.resume();
    // A shell with a child, both of which hold the pipe.
    this.command = `exec 3>'${path}'; echo begun >&3; echo shown; sleep 1000 & wait`;
  }

  untilBegun() {
    return within(this.begun, "the command's begin");
  }
  untilGone() {
    return within(this.gone, "the end of the command and its children");
  }
}
