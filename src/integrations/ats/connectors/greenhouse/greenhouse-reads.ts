import { parsedUrl } from '../../../../base/url.js';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsCandidate, AtsJob, AtsPage, AtsPageFrom, AtsUser, Connector } from '../connector.js';
import {
  idOf,
  objectOf,
  objectsIn,
  textOf,
  unexpected,
  type RemoteObject,
  allRows,
  readOne,
  readRows,
} from '../remote-json.js';
import { greenhouseCandidate, greenhouseJob, greenhouseUser } from './greenhouse.mapping.js';

export const GREENHOUSE = 'Greenhouse';

const PER_PAGE = '500';
/** Each page of candidates brings one call for each fifty of them, for their applications. */
const CANDIDATES_PER_PAGE = '250';
const MOST_IDS = 50;

type Query = Readonly<Record<string, string>>;

interface Page {
  rows: readonly unknown[];
  next: string | null;
}

/** Reads one page of a list. A request with a cursor has no other parameter. */
async function greenhousePage(api: AtsApi, path: string, cursor: string | null, query: Query): Promise<Page> {
  const { json, headers } = await api.call({ method: 'GET', path, query: cursor === null ? query : { cursor } });
  if (!Array.isArray(json)) throw unexpected(GREENHOUSE, 'list of records');
  return { rows: json, next: nextIn(headers['link']) };
}

/** Returns the records with these ids; v3 has no other way to read one. */
export async function recordsOf(
  api: AtsApi,
  path: string,
  name: string,
  ids: readonly string[],
): Promise<RemoteObject[]> {
  const all: RemoteObject[] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const query = { [name]: ids.slice(from, from + MOST_IDS).join(','), per_page: PER_PAGE };
    all.push(...objectsIn(await allRows(GREENHOUSE, (cursor) => greenhousePage(api, path, cursor, query))));
  }
  return all;
}

/** Reads one record; null when Greenhouse has none. */
export async function greenhouseRecord(api: AtsApi, path: string, id: string): Promise<RemoteObject | null> {
  // Ids are numbers: another text would be a refused call, and no record has it.
  if (!/^\d+$/.test(id)) return null;
  const { rows } = await greenhousePage(api, path, null, { ids: id });
  return objectsIn(rows).find((row) => idOf(row['id']) === id) ?? null;
}

async function jobs(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsJob>> {
  const { rows, next } = await greenhousePage(api, '/jobs', cursor, { per_page: PER_PAGE, ...changedSince(since) });
  return { ...(await readRows(rows, greenhouseJob)), next };
}

/** An incremental pass reads changed candidates, then the candidates of changed applications. */
const SECOND = 'applications:';

async function candidates(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsCandidate>> {
  if (cursor?.startsWith(SECOND) === true) return ofApplications(api, since, cursor.slice(SECOND.length) || null);
  const query = { per_page: CANDIDATES_PER_PAGE, ...changedSince(since) };
  const { rows, next } = await greenhousePage(api, '/candidates', cursor, query);
  const read = await joined(api, rows);
  return { ...read, next: next ?? (since === null ? null : SECOND) };
}

async function job(api: AtsApi, id: string): Promise<AtsJob | null> {
  const found = await greenhouseRecord(api, '/jobs', id);
  return found === null ? null : readOne(() => greenhouseJob(found));
}

async function candidate(api: AtsApi, id: string): Promise<AtsCandidate | null> {
  const found = await greenhouseRecord(api, '/candidates', id);
  if (found === null) return null;
  const applications = await recordsOf(api, '/applications', 'candidate_ids', [id]);
  const sources = await sourcesOf(api, applications);
  return readOne(() => greenhouseCandidate(found, applications, sources));
}

async function user(api: AtsApi, id: string): Promise<AtsUser | null> {
  const found = await greenhouseRecord(api, '/users', id);
  return found === null ? null : readOne(() => greenhouseUser(found));
}

async function users(api: AtsApi, cursor: string | null): Promise<AtsPage<AtsUser>> {
  const { rows, next } = await greenhousePage(api, '/users', cursor, { per_page: PER_PAGE });
  return { ...(await readRows(rows, greenhouseUser)), next };
}

async function test(api: AtsApi): Promise<string> {
  const { rows } = await greenhousePage(api, '/jobs', null, { per_page: '1' });
  return rows.length === 0 ? 'Greenhouse answers; it shows no job.' : 'Greenhouse answers, and shows its jobs.';
}

async function ofApplications(api: AtsApi, since: Date | null, cursor: string | null): Promise<AtsPage<AtsCandidate>> {
  const query = { per_page: CANDIDATES_PER_PAGE, ...changedSince(since) };
  const { rows, next } = await greenhousePage(api, '/applications', cursor, query);
  const ids = [...new Set(objectsIn(rows).flatMap((row) => idOf(row['candidate_id']) ?? []))];
  const read = await joined(api, await recordsOf(api, '/candidates', 'ids', ids));
  return { ...read, next: next === null ? null : SECOND + next };
}

async function joined(api: AtsApi, people: readonly unknown[]): Promise<Omit<AtsPage<AtsCandidate>, 'next'>> {
  const ids = objectsIn(people).flatMap((person) => idOf(person['id']) ?? []);
  const applications = await recordsOf(api, '/applications', 'candidate_ids', ids);
  const sources = await sourcesOf(api, applications);
  const own = new Map<string | null, RemoteObject[]>();
  for (const one of applications) {
    const of = idOf(one['candidate_id']);
    own.set(of, [...(own.get(of) ?? []), one]);
  }
  return readRows(people, (person) => greenhouseCandidate(person, own.get(idOf(person['id'])) ?? [], sources));
}

/** Returns the names of sources; empty where the credential does not show them. */
async function sourcesOf(api: AtsApi, applications: readonly RemoteObject[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(applications.flatMap((one) => idOf(one['source_id']) ?? []))];
  const names = new Map<string, string>();
  try {
    for (const source of await recordsOf(api, '/sources', 'ids', ids)) {
      const id = idOf(source['id']);
      const name = textOf(source['name']);
      if (id !== null && name !== null) names.set(id, name);
    }
  } catch (error) {
    // A candidate is not left out for the name of its source.
    if (!(error instanceof AtsFailure) || !['forbidden', 'not_found', 'rejected'].includes(error.kind)) throw error;
  }
  return names;
}

/** Returns the cursor of the next page (RFC 8288), or null. */
function nextIn(link: string | undefined): string | null {
  for (const part of (link ?? '').split(',')) {
    const found = /<([^<>]+)>\s*;\s*rel="?next"?/.exec(part);
    const url = found === null ? null : parsedUrl(found[1]!);
    if (url !== null) return url.searchParams.get('cursor');
  }
  return null;
}

function changedSince(since: Date | null): Query {
  return since === null ? {} : { updated_at: `gte|${since.toISOString()}` };
}

/** Returns the named custom field of a candidate, by key or by name. */
export function customFieldOf(person: RemoteObject, field: string | null): RemoteObject | null {
  const fields = objectsIn(person['custom_fields']);
  const found = fields.find(({ name_key: key }) => key === field) ?? fields.find(({ name }) => name === field);
  return objectOf(found);
}

export const greenhouseReads = { test, jobs, candidates, job, candidate, user, users } satisfies Partial<Connector>;
