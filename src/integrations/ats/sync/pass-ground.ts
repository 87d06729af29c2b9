import type { AtsApi } from '../api/ats-api.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import type { ReadPages } from './page-reader.js';
import type { PollKind, PollMark } from './pass.js';
import type { ClaimedSync } from './syncs.repository.js';

/** What a pass reads with. */
export interface PassGround {
  sync: ClaimedSync;
  connection: AtsConnection;
  connector: Connector;
  api: AtsApi;
  /** The turn has had a step. */
  hasBegun?: boolean;
  /** Where the list that is being read began. */
  mark?: { phase: PollKind; mark: PollMark } | undefined;
  /** The pages after those that are being written: they are read meanwhile. */
  ahead?: { phase: PollKind; cursor: string; pages: Promise<ReadPages | null> } | undefined;
}
