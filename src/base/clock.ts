/** Time is asked for, not taken: rules and tests can be given another one. */
export abstract class Clock {
  /** Wall-clock time. */
  abstract now(): Date;
  /** Milliseconds that never run backwards; for durations. */
  abstract monotonic(): number;
}

/** The machine's own clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
  monotonic(): number {
    return performance.now();
  }
}
