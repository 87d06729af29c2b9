/** Collects the figures and prints them as one table. */
export class Report {
  rows = [];

  /** A rate of ours beside raw's. `target`: the least ratio. */
  ratio(name, ours, raw, target) {
    const value = ours / raw;
    this.add(
      name,
      value.toFixed(2),
      target === null ? '' : `≥ ${target}`,
      target === null || value >= target,
      `${Math.round(ours)}/s of ${Math.round(raw)}/s`,
    );
  }

  /** A figure with a highest value, or none. */
  atMost(name, value, target, digits = 2) {
    this.add(name, value.toFixed(digits), target === null ? '' : `≤ ${target}`, target === null || value <= target, '');
  }

  add(name, value, target, met, scale) {
    this.rows.push({ name, value, target, met, scale });
    console.log(`${met ? ' ' : '!'} ${name.padEnd(62)} ${value.padStart(7)} ${target.padEnd(8)} ${scale}`);
  }

  /** Answers whether a target was missed. */
  print() {
    const missed = this.rows.filter((row) => !row.met);
    console.log(
      missed.length === 0
        ? '\nall targets met'
        : `\n${missed.length} target(s) missed: ${missed.map((row) => row.name).join('; ')}`,
    );
    return missed.length > 0;
  }
}
