import type { AtsApi, AtsFailure } from '../../api/ats-api.js';
import type { AtsConnection } from '../../connections/connection.js';
import type { Connector } from '../../connectors/connector.js';
import type { RecordItem } from '../../records/record.js';
import type { Group, ReadEvent } from './plan.rules.js';
import { ReadBacks } from './read-backs.js';

/** What is written for the events about one record. */
export interface RecordWork {
  group: Group;
  item: RecordItem;
  /** The event whose data it is; null: the record was read. */
  by: ReadEvent | null;
}

/** One batch while it is worked on. */
export class InboundBatch {
  works: RecordWork[] = [];
  survivors: RecordItem[] = [];
  readonly forced = new Set<string>();
  /** Survivors of merges that the ATS does not have. */
  readonly missing = new Set<string>();
  readonly reads: ReadBacks | null;
  failure: AtsFailure | null = null;
  tried = false;
  /** Records are read by another batch, and their events wait. */
  later = false;

  constructor(
    readonly connection: AtsConnection,
    readonly connector: Connector,
    readonly api: AtsApi | null,
    onError: (error: unknown) => void,
  ) {
    this.reads = api === null ? null : new ReadBacks(connector, api, onError);
  }
}
