// Numbers that look random and are the same for the same seed.
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  // In [0, 1).
  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
  }

  // In [least, most].
  integer(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  // Cuts what can be sliced into pieces of 1 to `most`.
  cut(whole, most) {
    const pieces = [];
    for (let at = 0; at < whole.length;) {
      const size = this.integer(1, most);
      pieces.push(whole.slice(at, at + size));
      at += size;
    }
    return pieces;
  }
}
