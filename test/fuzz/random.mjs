/** Random choices that a seed repeats (mulberry32). */
export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n) {
    return Math.floor(this.next() * n);
  }

  chance(p) {
    return this.next() < p;
  }

  of(list) {
    return list[this.below(list.length)];
  }
}
