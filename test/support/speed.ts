import { hash } from 'node:crypto';
import os from 'node:os';

/** Milliseconds that {@link WORK} takes on a quiet core of the machines that the limits were measured on. */
const QUIET_MS = 10;
/** Hashes of 1 KiB. */
const WORK = 3_000;
const MOST = 20;

let slowdown = measuredSlowdown();

/** Measures the speed again; before each spec file of a process that runs many. */
export function measureSpeed(): void {
  slowdown = measuredSlowdown();
}

/** A limit that was chosen on a quiet machine, as milliseconds on this one. It ends what hangs; it proves no speed. */
export function patience(ms: number): number {
  return Math.round(ms * slowdown);
}

/**
 * How many times slower this process is just now than on a quiet machine, at least 1 and at most 20. A busy machine shows in
 * the time of fixed work, or in its queue of runnable processes.
 */
function measuredSlowdown(): number {
  return Math.min(MOST, Math.max(1, measured() / QUIET_MS, (os.loadavg()[0] ?? 0) / os.cpus().length));
}

function measured(): number {
  const text = 'x'.repeat(1024);
  const start = performance.now();
  for (let i = 0; i < WORK; i++) hash('sha256', text, 'buffer');
  return performance.now() - start;
}
