import type { AtsApi } from '../../api/ats-api.js';
import type { AtsCandidate, AtsGone, AtsJob, AtsPage, AtsPageFrom, AtsUser, Connector } from '../connector.js';
import { listOf, objectOf, textOf, unexpected, type RemoteObject, allRows, readOne, readRows } from '../remote-json.js';
import {
  applicationIdsIn,
  applicationsIn,
  leverCandidate,
  goneOf,
  isAnonymized,
  leverJob,
  leverUser,
} from './lever.mapping.js';

export const LEVER = 'Lever';

const LIMIT = '100';
const EXPANDED = ['applications', 'stage', 'sourcedBy'];
/** Lists of deleted records reach back thirty days. */
const DELETED_MS = 30 * 86_400_000;

interface LeverPage {
  rows: readonly unknown[];
  next: string | null;
}

async function leverPage(
  api: AtsApi,
  path: string,
  cursor: string | null,
  query: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<LeverPage> {
  const wanted: Record<string, string | readonly string[]> = { limit: LIMIT, ...query };
  if (cursor !== null) wanted['offset'] = cursor;
  const { json } = await api.call({ method: 'GET', path, query: wanted });
  const body = objectOf(json);
  if (body === null || !Array.isArray(body['data'])) throw unexpected(LEVER, 'list of records');
  if (body['hasNext'] !== true) return { rows: listOf(body['data']), next: null };
  const next = textOf(body['next']);
  if (next === null) throw unexpected(LEVER, 'place of the next page');
  return { rows: listOf(body['data']), next };
}

/** Reads one record; null when Lever has none. */
export async function leverRecord(
  api: AtsApi,
  path: string,
  query: Readonly<Record<string, readonly string[]>> = {},
): Promise<RemoteObject | null> {
  const { status, json } = await api.call({ method: 'GET', path, query, accepts: [404, 410] });
  if (status >= 400) return null;
  const record = objectOf(objectOf(json)?.['data']);
  if (record === null) throw unexpected(LEVER, 'record');
  return record;
}

export function part(id: string): string {
  return encodeURIComponent(id);
}

async function jobs(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsJob>> {
  const { rows, next } = await leverPage(api, '/postings', cursor, changedSince(since));
  return { ...(await readRows(rows, leverJob)), next };
}

async function candidates(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsCandidate>> {
  const query = { ...changedSince(since), expand: EXPANDED };
  const { rows, next } = await leverPage(api, '/opportunities', cursor, query);
  return { ...(await readRows(rows, (row) => candidateWith(api, row))), next };
}

/** Two lists are read as one: deleted postings, then deleted opportunities. */
async function gone(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsGone>> {
  const earliest = Date.now() - DELETED_MS;
  const query = { deleted_at_start: String(Math.max(since?.getTime() ?? 0, earliest)) };
  const isSecond = cursor?.startsWith(SECOND) === true;
  const place = (isSecond ? cursor.slice(SECOND.length) : cursor) || null;
  const kind = isSecond ? 'candidate' : 'job';
  const path = isSecond ? '/opportunities/deleted' : '/postings/deleted';
  const { rows, next } = await leverPage(api, path, place, query);
  const read = await readRows(rows, (row) => goneOf(kind, row));
  if (isSecond) return { ...read, next: next === null ? null : SECOND + next };
  return { ...read, next: next ?? SECOND };
}

const SECOND = 'opportunities:';

async function job(api: AtsApi, id: string): Promise<AtsJob | null> {
  const posting = await leverRecord(api, `/postings/${part(id)}`);
  return posting === null ? null : readOne(() => leverJob(posting));
}

async function candidate(api: AtsApi, id: string): Promise<AtsCandidate | null> {
  const opportunity = await leverRecord(api, `/opportunities/${part(id)}`, { expand: EXPANDED });
  if (opportunity === null || isAnonymized(opportunity)) return null;
  const applications = await applicationsOf(api, opportunity);
  return readOne(() => leverCandidate(opportunity, applications));
}

async function user(api: AtsApi, id: string): Promise<AtsUser | null> {
  const found = await leverRecord(api, `/users/${part(id)}`);
  return found === null ? null : readOne(() => leverUser(found));
}

async function users(api: AtsApi, cursor: string | null): Promise<AtsPage<AtsUser>> {
  const { rows, next } = await leverPage(api, '/users', cursor);
  return { ...(await readRows(rows, leverUser)), next };
}

async function userByEmail(api: AtsApi, email: string): Promise<AtsUser | null> {
  const { rows } = await leverPage(api, '/users', null, { email });
  const { records } = await readRows(rows, leverUser);
  return records.find((one) => one.active && one.email?.toLowerCase() === email.toLowerCase()) ?? null;
}

async function test(api: AtsApi): Promise<string> {
  const { rows } = await leverPage(api, '/postings', null, { limit: '1' });
  return rows.length === 0 ? 'Lever answers; it shows no posting.' : 'Lever answers, and shows its postings.';
}

function candidateWith(api: AtsApi, opportunity: RemoteObject): AtsCandidate | Promise<AtsCandidate> {
  if (applicationIdsIn(opportunity).length === 0) return leverCandidate(opportunity, applicationsIn(opportunity));
  return applicationsOf(api, opportunity).then((applications) => leverCandidate(opportunity, applications));
}

/** Lever holds applications in the answer where they are asked for; else they are read one by one. */
async function applicationsOf(api: AtsApi, opportunity: RemoteObject): Promise<RemoteObject[]> {
  const applications = applicationsIn(opportunity);
  const id = textOf(opportunity['id']) ?? '';
  for (const one of applicationIdsIn(opportunity)) {
    const read = await leverRecord(api, `/opportunities/${part(id)}/applications/${part(one)}`);
    if (read !== null) applications.push(read);
  }
  return applications;
}

function changedSince(since: Date | null): Readonly<Record<string, string>> {
  return since === null ? {} : { updated_at_start: String(since.getTime()) };
}

/** Reads all rows of a list of one opportunity; `not_found` where Lever has no such opportunity. */
export function leverRows(api: AtsApi, path: string): Promise<unknown[]> {
  return allRows(LEVER, (cursor) => leverPage(api, path, cursor));
}

export const leverReads = {
  test,
  jobs,
  candidates,
  gone,
  job,
  candidate,
  user,
  users,
  userByEmail,
} satisfies Partial<Connector>;
