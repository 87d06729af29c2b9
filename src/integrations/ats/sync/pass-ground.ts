import type { AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import type { ReadPages } from './page-reader.js';
import type { PollKind, PollMark } from './pass.js';
import type { ClaimedSync } from './syncs.repository.js';

export interface PassGround {
  sync: ClaimedSync;
  connection: AtsConnection;
  connector: Connector;
  api: AtsApi;
  hasBegun?: boolean;
  mark?: { phase: PollKind; mark: PollMark } | undefined;
  /** The pages after those being written. They are read while these are written. */
  ahead?: { phase: PollKind; cursor: string; pages: Promise<ReadPages | null> } | undefined;
}

/** The times of polls; tests make them shorter. */
export class SyncOptions {
  /** Between two passes. */
  everyMs = 300_000;
  /** Between two full passes. */
  fullMs = 86_400_000;
  /** The next pass begins this time before the start of the last one: clocks of ATSs differ, and lists lag. */
  overlapMs = 300_000;
  /** After a longer wait a pass begins anew: its cursor is outdated. */
  resumeMs = 6 * 3_600_000;
}
