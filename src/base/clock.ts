/** A port for the time, so that tests can set it. */
export abstract class Clock {
  /** Returns the wall-clock time. */
  abstract now(): Date;
  /** Returns milliseconds that never decrease; for durations. */
  abstract monotonic(): number;
}

/** The clock of the machine. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
  monotonic(): number {
    return performance.now();
  }
}
