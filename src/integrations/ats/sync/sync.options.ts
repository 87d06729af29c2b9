/** The times of polls; tests make them shorter. */
export class SyncOptions {
  /** Between two passes. */
  everyMs = 300_000;
  /** Between two full passes. */
  fullMs = 86_400_000;
  /** The next pass begins so long before the start of the last one: clocks of ATSs differ, and lists lag behind. */
  overlapMs = 300_000;
  /** A pass that waited for longer begins anew: its cursor is no good any more. */
  resumeMs = 6 * 3_600_000;
}
