// A named pipe that a command holds: it tells when the command has begun, and when all of it is gone.
import { execFileSync } from "node:child_process";
<<<<<<< HEAD
import { createReadStream } from "node:fs";
import { once } from "node:events";
=======
import { once } from "node:events";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
>>>>>>> h-server

import { within } from "../deadline.mjs";

export class Pipe {
  constructor(path) {
    execFileSync("mkfifo", [path]);
<<<<<<< HEAD
    this.reader = createReadStream(path);
    this.reader.on("error", () => {});
    this.gone = once(this.reader, "end");
    // A shell with a child, both of which hold the pipe.
    this.command = `exec 3>'${path}'; echo begun >&3; echo shown; sleep 1000 & wait`;
    this.reader.resume();
    this.begun = once(this.reader, "data");
=======
    // Without a thread that waits in open(): a test that fails must be able to end.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd, readable: true, writable: false });
    this.begun = once(reader, "data");
    this.gone = once(reader, "end");
    for (const each of [this.begun, this.gone]) each.catch(() => {});
    reader.resume();
    // A shell with a child, both of which hold the pipe.
    this.command = `exec 3>'${path}'; echo begun >&3; echo shown; sleep 1000 & wait`;
>>>>>>> h-server
  }

  untilBegun() {
    return within(this.begun, "the command's begin");
  }
  untilGone() {
    return within(this.gone, "the end of the command and its children");
  }
}
