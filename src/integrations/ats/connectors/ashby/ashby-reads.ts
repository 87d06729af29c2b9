import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsCandidate, AtsJob, AtsPage, AtsPageFrom, AtsUser, Connector } from '../connector.js';
import { idOf, listOf, objectOf, textOf, type RemoteObject, readOne, readRows } from '../remote-json.js';
import { ashbyPage, ashbyRecord } from './ashby-calls.js';
import { ashbyCandidate, ashbyCandidateOfApplication, ashbyGoesOn, ashbyJob, ashbyUser } from './ashby.mapping.js';

const MOST_APPLICATIONS = 50;

async function jobs(api: AtsApi, { syncToken, cursor }: AtsPageFrom): Promise<AtsPage<AtsJob>> {
  const page = await ashbyPage(api, 'job.list', { cursor, syncToken });
  return { ...(await readRows(page.rows, ashbyJob)), next: page.next, syncToken: page.syncToken };
}

interface Place {
  list: 'applications' | 'candidates';
  cursor: string | null;
  tokens: Tokens;
  fresh: Tokens;
}

interface Tokens {
  applications: string | null;
  candidates: string | null;
}

const NONE: Tokens = { applications: null, candidates: null };

/**
 * Reads one page of candidates. Applications come first: each holds its candidate, so one call brings a hundred. Then
 * come the candidates that applications do not show rightly: those without an application, or with several. In an
 * incremental pass each changed candidate counts, since no application changes with a name.
 */
async function candidates(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsCandidate>> {
  const place = placeOf(from);
  const { list, cursor, tokens, fresh } = place;
  if (list === 'applications') {
    const page = await ashbyPage(api, 'application.list', { cursor, syncToken: tokens.applications });
    const isFirst = tokens.applications === null;
    const read = await readRows(page.rows, (row) => (isFirst ? ashbyCandidateOfApplication(row) : ofChanged(api, row)));
    if (page.next !== null) return { ...read, next: textOfPlace({ ...place, cursor: page.next }) };
    const second: Place = {
      ...place,
      list: 'candidates',
      cursor: null,
      fresh: { ...fresh, applications: page.syncToken },
    };
    return { ...read, next: textOfPlace(second) };
  }
  const page = await ashbyPage(api, 'candidate.list', { cursor, syncToken: tokens.candidates });
  const isFull = tokens.candidates === null;
  const rows = isFull ? page.rows.filter((row) => applicationIdsOf(objectOf(row)).length !== 1) : page.rows;
  const read = await readRows(rows, (row) => withApplications(api, row));
  if (page.next !== null) return { ...read, next: textOfPlace({ ...place, cursor: page.next }) };
  return { ...read, next: null, syncToken: textOfTokens({ ...fresh, candidates: page.syncToken }) };
}

async function job(api: AtsApi, id: string): Promise<AtsJob | null> {
  const found = await ashbyRecord(api, 'job.info', { id });
  return found === null ? null : readOne(() => ashbyJob(found));
}

async function candidate(api: AtsApi, id: string): Promise<AtsCandidate | null> {
  const found = await ashbyRecord(api, 'candidate.info', { id });
  if (found === null) return null;
  const applications = await applicationsOf(api, found);
  return readOne(() => ashbyCandidate(found, applications));
}

async function user(api: AtsApi, id: string): Promise<AtsUser | null> {
  const found = await ashbyRecord(api, 'user.info', { userId: id });
  const record = objectOf(found?.['user']) ?? found;
  return record === null ? null : readOne(() => ashbyUser(record));
}

/** Reads the name of the key. A key without that permission can still do the rest. */
async function test(api: AtsApi): Promise<string> {
  try {
    const key = await ashbyRecord(api, 'apiKey.info', {});
    const name = textOf(key?.['title']);
    return name === null ? 'Ashby takes the API key.' : `Ashby takes the API key “${name.slice(0, 100)}”.`;
  } catch (error) {
    if (!(error instanceof AtsFailure) || error.kind !== 'forbidden') throw error;
    await ashbyPage(api, 'job.list', { cursor: null, syncToken: null }, { limit: 1 });
    return 'Ashby takes the API key, and shows its jobs.';
  }
}

/** An ended application is no evidence about the candidate's others. A full pass reads those with its second list. */
async function ofChanged(api: AtsApi, application: RemoteObject): Promise<AtsCandidate> {
  const told = ashbyCandidateOfApplication(application);
  if (ashbyGoesOn(application)) return told;
  const person = await ashbyRecord(api, 'candidate.info', { id: told.remoteId });
  return person === null ? told : withApplications(api, person);
}

async function withApplications(api: AtsApi, person: RemoteObject): Promise<AtsCandidate> {
  return ashbyCandidate(person, await applicationsOf(api, person));
}

async function applicationsOf(api: AtsApi, person: RemoteObject): Promise<RemoteObject[]> {
  const found: RemoteObject[] = [];
  // The newest ids are last.
  for (const applicationId of applicationIdsOf(person).slice(-MOST_APPLICATIONS)) {
    const application = await ashbyRecord(api, 'application.info', { applicationId });
    if (application !== null) found.push(application);
  }
  return found;
}

function applicationIdsOf(person: RemoteObject | null): string[] {
  return listOf(person?.['applicationIds']).flatMap((id) => idOf(id) ?? []);
}

function placeOf({ cursor, syncToken }: AtsPageFrom): Place {
  if (cursor !== null) return JSON.parse(cursor) as Place;
  return { list: 'applications', cursor: null, tokens: tokensOf(syncToken), fresh: NONE };
}

function textOfPlace(place: Place): string {
  return JSON.stringify(place);
}

function tokensOf(text: string | null): Tokens {
  return text === null ? NONE : (JSON.parse(text) as Tokens);
}

/** A pass without both tokens would lose the changes of one list, so the next one reads everything. */
function textOfTokens(tokens: Tokens): string | null {
  return tokens.applications === null || tokens.candidates === null ? null : JSON.stringify(tokens);
}

export const ashbyReads = { test, jobs, candidates, job, candidate, user } satisfies Partial<Connector>;
