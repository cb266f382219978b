// A seeded source of chance: the same seed and name give the same values on every machine.

export class Random {
  #state;

  constructor(seed, name) {
    this.#state = seed >>> 0;
    for (const char of name) this.#state = Math.imul(this.#state ^ char.codePointAt(0), 0x01000193);
  }

  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}
