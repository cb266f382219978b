// Lets pieces pass one by one, when a test says so.
export class Gate {
  #permits;
  #waiting = [];
  #watchers = [];
  passed = 0;

  constructor(permits = 0) {
    this.#permits = permits;
  }

  // For the one who wants to pass.
  async pass() {
    if (this.#permits > 0) {
      --this.#permits;
    } else {
      await new Promise((resolve) => {
        this.#waiting.push(resolve);
        for (const watcher of this.#watchers.splice(0)) watcher();
      });
    }
    ++this.passed;
  }

  release(count = 1) {
    this.#permits += count;
    for (; this.#permits > 0 && this.#waiting.length > 0; --this.#permits) this.#waiting.shift()();
  }

  open() {
    this.release(Infinity);
  }

  // Until somebody stands before it.
  async someoneWaits() {
    if (this.#waiting.length === 0) await new Promise((resolve) => this.#watchers.push(resolve));
  }
}
