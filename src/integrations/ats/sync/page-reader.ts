import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import { type AtsRecordKind, NotUnderstood, type Connector } from '../connectors/connector.js';
import { newerOf } from '../records/news.rules.js';
import { candidateItem, goneItem, jobItem, readRecord, readsKind, type RecordItem } from '../records/record.js';
import type { CursorWatch, LeftOut, Pass, PollKind, PollMark } from './pass.js';
import { watched } from './pass.rules.js';

export interface ReadPage {
  items: RecordItem[];
  next: string | null;
  syncToken: string | null;
  leftOut: LeftOut[];
}

export type ReadPages = ReadPage & { watch: CursorWatch };

/** A list without an end: its pages go in a circle, or are too many. */
export class ListWithoutEnd extends Error {}

/**
 * Pages and records that are written together, since each write has a fixed cost. A list begins with fewer pages: the
 * next ones are read while they are written, and before that nothing is written.
 */
const TOGETHER = { pages: 10, records: 1_000, atFirst: 2, characters: 2 * 1024 * 1024 };
/** Records that a full pass has not seen are read in this number at a time. */
export const ABSENT_AT_ONCE = 20;
const GONE_BACK_MS = 30 * 86_400_000;

export function hasList(connector: Connector, kind: PollKind): boolean {
  if (kind === 'gone') return connector.gone !== undefined;
  return readsKind(connector, kind === 'jobs' ? 'job' : 'candidate');
}

/**
 * Reads one page of a list. A record without a time of its change counts from the beginning of the pass.
 *
 * @throws {AtsFailure}
 */
async function readPage(
  connector: Connector,
  api: AtsApi,
  kind: PollKind,
  pass: Pass,
  mark: PollMark,
): Promise<ReadPage> {
  const at = new Date(pass.phaseAt);
  const isFull = pass.isFull && kind !== 'gone';
  const since = isFull ? null : mark.since;
  const from = { since, syncToken: isFull ? null : mark.syncToken, cursor: pass.cursor };
  if (kind === 'jobs') {
    const page = await connector.jobs(api, from);
    return pageOf(
      page,
      page.records.map((job) => jobItem(job, at)),
    );
  }
  if (kind === 'candidates') {
    const page = await connector.candidates(api, from);
    return pageOf(
      page,
      page.records.map((candidate) => candidateItem(candidate, at)),
    );
  }
  const page = await connector.gone!(api, { ...from, since: since ?? new Date(at.getTime() - GONE_BACK_MS) });
  return pageOf(
    page,
    page.records.map((gone) => goneItem(gone, at)),
  );
}

/**
 * Reads the next pages of a list. A failure after the first page ends them before it; the next step repeats it.
 *
 * @throws {AtsFailure} or {@link ListWithoutEnd}
 */
export async function readPages(
  connector: Connector,
  api: AtsApi,
  kind: PollKind,
  pass: Pass,
  mark: PollMark,
): Promise<ReadPages> {
  let characters = 0;
  const counting: AtsApi = {
    call: async (request) => {
      const answer = await api.call(request);
      characters += answer.size;
      return answer;
    },
  };
  const first = await readPage(connector, counting, kind, pass, mark);
  const items = new Map(first.items.map((item) => [nameOf(item), item]));
  const leftOut = [...first.leftOut];
  let [page, watch] = [first, watchedBy(pass.watch, first, kind)];
  const most = Math.min(TOGETHER.pages, TOGETHER.atFirst + pass.watch.pages);
  const hasRoom = (): boolean => items.size < TOGETHER.records && characters < TOGETHER.characters;
  for (let pages = 1; page.next !== null && pages < most && hasRoom(); pages++) {
    try {
      page = await readPage(connector, counting, kind, { ...pass, cursor: page.next }, mark);
    } catch (error) {
      if (error instanceof AtsFailure || error instanceof NotUnderstood) break;
      throw error;
    }
    for (const item of page.items) put(items, item);
    leftOut.push(...page.leftOut);
    watch = watchedBy(watch, page, kind);
  }
  return { items: [...items.values()], leftOut, next: page.next, syncToken: page.syncToken, watch };
}

function watchedBy(watch: CursorWatch, { items, leftOut, next }: ReadPage, kind: PollKind): CursorWatch {
  const after = next === null ? watch : watched(watch, next, items.length + leftOut.length);
  if (typeof after === 'string') throw new ListWithoutEnd(`The list of ${kind} ${after}.`);
  return after;
}

/** A list can show a record twice, when it changes between two pages or has two applications. */
function put(items: Map<string, RecordItem>, item: RecordItem): void {
  const name = nameOf(item);
  items.set(name, newerOf(items.get(name), item));
}

function nameOf({ kind, remoteId }: RecordItem): string {
  return `${kind} ${remoteId}`;
}

/**
 * Reads records that a full list did not show. A missing one is gone; another one is stored as read.
 *
 * @throws {AtsFailure}
 */
export async function readAbsent(
  connector: Connector,
  api: AtsApi,
  kind: AtsRecordKind,
  remoteIds: readonly string[],
): Promise<ReadPage> {
  const items: RecordItem[] = [];
  const leftOut: LeftOut[] = [];
  for (const remoteId of remoteIds) {
    const at = new Date();
    try {
      items.push((await readRecord({ connector, api }, kind, remoteId, at)) ?? absentItem(kind, remoteId, at));
    } catch (error) {
      if (error instanceof AtsFailure && error.kind === 'not_found') items.push(absentItem(kind, remoteId, at));
      else if (error instanceof NotUnderstood || (error instanceof AtsFailure && isOfRecord(error))) {
        leftOut.push({ remote_id: remoteId, reason: error.message });
      } else throw error;
    }
  }
  return { items, next: null, syncToken: null, leftOut };
}

function absentItem(kind: AtsRecordKind, remoteId: string, at: Date): RecordItem {
  return goneItem({ kind, remoteId, at, survivorId: null }, at);
}

function isOfRecord({ kind }: AtsFailure): boolean {
  return kind === 'forbidden' || kind === 'rejected' || kind === 'malformed';
}

function pageOf(
  page: {
    next: string | null;
    syncToken?: string | null;
    leftOut?: readonly { remoteId: string | null; reason: string }[];
  },
  items: readonly RecordItem[],
): ReadPage {
  const leftOut = (page.leftOut ?? []).map(({ remoteId, reason }) => ({ remote_id: remoteId, reason }));
  const once = new Map<string, RecordItem>();
  for (const item of items) put(once, item);
  return { items: [...once.values()], next: page.next, syncToken: page.syncToken ?? null, leftOut };
}
