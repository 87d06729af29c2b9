/** The bounds of calls to ATSs; tests and benches set others. */
export class AtsCallOptions {
  /** One deadline over connecting, headers and body. */
  timeoutMs = 15_000;
  /** A longer answer is refused. The longest pages of vendors have less than 2 MiB. */
  maxBytes = 4 * 1024 * 1024;
  /** A call waits so long for its turn; a longer wait is answered, so that the caller comes back later. */
  maxWaitMs = 2_000;
  /** The pause after a 429 that does not say how long. */
  pauseMs = 30_000;
  /** The longest pause that an ATS can ask for. */
  maxPauseMs = 3_600_000;
  /** Multiple of the vendor's pace. */
  paceFactor = 1;

  constructor(values: Partial<AtsCallOptions> = {}) {
    Object.assign(this, values);
  }
}
