import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import { NotUnderstood, type Connector } from '../../connectors/connector.js';
import { goneItem, readRecord } from '../../records/read-record.js';
import type { AtsRecordRow, RecordItem } from '../../records/record.js';
import { newestTimeOf, type Group } from './plan.rules.js';

/** Records that are read in one batch, and at the same time. */
const MOST = 40;
const AT_ONCE = 4;
/** Well within the lease of the batch. */
const DEADLINE_MS = 45_000;

/** What reading a record came to. `later`: it was not tried, and its events wait. */
export type ReadBack =
  | { kind: 'item'; item: RecordItem }
  | { kind: 'not_found' }
  | { kind: 'failed'; failure: AtsFailure }
  | { kind: 'later' };

/** Reads records from the ATS, some at the same time. After an ATS that is away no further one is asked for. */
export class ReadBacks {
  /** The failure that ended the reading; null: the ATS answered. */
  stopped: AtsFailure | null = null;
  private asked = 0;
  private readonly began = performance.now();

  constructor(
    private readonly connector: Connector,
    private readonly api: AtsApi,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Returns whether the ATS has answered. */
  get hasAnswered(): boolean {
    return this.asked > 0 && this.stopped === null;
  }

  /** Reads the records of groups. @param known the records as they are stored */
  async of(groups: readonly Group[], known: (group: Group) => AtsRecordRow | undefined): Promise<Map<Group, ReadBack>> {
    const found = new Map<Group, ReadBack>();
    for (let i = 0; i < groups.length; i += AT_ONCE) {
      const some = groups.slice(i, i + AT_ONCE);
      const read = await Promise.all(some.map((group) => this.one(group, known(group))));
      some.forEach((group, place) => found.set(group, read[place]!));
    }
    return found;
  }

  private async one(group: Group, known: AtsRecordRow | undefined): Promise<ReadBack> {
    const isOver = performance.now() - this.began > DEADLINE_MS;
    if (this.stopped !== null || this.asked >= MOST || isOver) return { kind: 'later' };
    this.asked++;
    const { kind, remoteId } = group;
    const at = newestTimeOf(group);
    try {
      const item = await this.read(kind, remoteId, at);
      if (item !== null) return { kind: 'item', item };
    } catch (error) {
      if (!(error instanceof AtsFailure)) return { kind: 'failed', failure: this.connectorFailed(error) };
      if (error.kind === 'away' || error.kind === 'refused') {
        this.stopped ??= error;
        return { kind: 'later' };
      }
      if (error.kind !== 'not_found') return { kind: 'failed', failure: error };
    }
    const [told] = group.events.flatMap(({ reading: { effect } }) => (effect.kind === 'gone' ? effect.gone : []));
    if (told !== undefined) return { kind: 'item', item: goneItem(told, at) };
    // A record that is known and not at the ATS any more was deleted there, after any kind of event.
    if (known?.state !== 'live') return { kind: 'not_found' };
    return { kind: 'item', item: goneItem({ kind, remoteId, at, survivorId: null }, at) };
  }

  /** A record that the connector fails over stops no other one. */
  private connectorFailed(error: unknown): AtsFailure {
    if (error instanceof NotUnderstood) return new AtsFailure('malformed', 'not_understood', error.message);
    this.onError(error);
    return new AtsFailure('malformed', 'not_understood', 'The record is not one that this ATS documents.');
  }

  /** Reads one record, as {@link readRecord} does. */
  read(kind: Group['kind'], remoteId: string, at: Date): Promise<RecordItem | null> {
    const { connector, api } = this;
    return readRecord({ connector, api }, kind, remoteId, at);
  }
}
