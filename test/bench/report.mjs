/** Collects the figures and prints them as one table. */
export class Report {
  rows = [];

  /** The rates of one race. `target`: the least ratio to the lean program; null: none. */
  race(name, target, runs) {
    const { lean, raw, ours } = runs;
    const value = ours.rate / lean.rate;
    const cost = (run) => `${run.node.toFixed(2)} + ${run.postgres.toFixed(2)}`;
    const parts = [`${Math.round(ours.rate)}/s of ${Math.round(lean.rate)}/s`, `CPU ms ${cost(ours)} to ${cost(lean)}`];
    if (raw) parts.push(`own tables ${(ours.rate / raw.rate).toFixed(2)}`);
    this.add(
      name,
      value.toFixed(2),
      target === null ? '' : `≥ ${target}`,
      target === null || value >= target,
      parts.join(', '),
    );
  }

  /** A rate beside another. `target`: the least ratio. */
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
    console.log(`${met ? ' ' : '!'} ${name.padEnd(58)} ${value.padStart(6)} ${target.padEnd(7)} ${scale}`);
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
