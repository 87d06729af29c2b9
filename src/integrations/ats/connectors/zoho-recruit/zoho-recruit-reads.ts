import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import type { AtsCandidate, AtsGone, AtsJob, AtsPage, AtsPageFrom, AtsUser, Connector } from '../connector.js';
import { laterOf, objectOf, objectsIn, type RemoteObject, readOne, readRows } from '../remote-json.js';
import { zohoPage, zohoRecord, zohoRows, ZOHO } from './zoho-recruit-calls.js';
import {
  zohoCandidate,
  zohoCandidateOfApplication,
  zohoGoesOn,
  zohoGone,
  isNotAssociated,
  zohoJob,
  zohoUser,
} from './zoho-recruit.mapping.js';

/** A record that changes during a pass moves to the front. In the other order one after it would be left out. */
const NEWEST_FIRST = { sort_by: 'Modified_Time', sort_order: 'desc' };

async function jobs(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsJob>> {
  const { rows, next } = await zohoPage(api, '/Job_Openings', cursor, { since, query: NEWEST_FIRST });
  return { ...(await readRows(rows, zohoJob)), next };
}

const SECOND = 'candidates:';

/**
 * Reads one page of candidates. Two lists are read as one. Applications come first: each holds its candidate and its
 * opening, so one call brings two hundred. From the list of candidates a full pass takes those without an application.
 * An incremental pass takes each changed one, since no application changes with a name.
 */
async function candidates(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsCandidate>> {
  const query = NEWEST_FIRST;
  if (cursor?.startsWith(SECOND) !== true) {
    const { rows, next } = await zohoPage(api, '/Applications', cursor, { since, query });
    return { ...(await readRows(rows, (row) => ofApplication(api, row, since))), next: next ?? SECOND };
  }
  const { rows, next } = await zohoPage(api, '/Candidates', cursor.slice(SECOND.length) || null, { since, query });
  const told = since === null ? rows.filter((row) => isNotAssociated(objectOf(row) ?? {})) : rows;
  const read = await readRows(told, (row) => (since === null ? zohoCandidate(row, []) : withOpenings(api, row)));
  return { ...read, next: next === null ? null : SECOND + next };
}

/** Reads one page of deleted records: job openings, then candidates. */
async function gone(api: AtsApi, { since, cursor }: AtsPageFrom): Promise<AtsPage<AtsGone>> {
  const isSecond = cursor?.startsWith(SECOND) === true;
  const place = (isSecond ? cursor.slice(SECOND.length) : cursor) || null;
  const path = isSecond ? '/Candidates/deleted' : '/Job_Openings/deleted';
  const { rows, next } = await zohoPage(api, path, place, { since, query: { type: 'all' } });
  const read = await readRows(rows, (row) => zohoGone(isSecond ? 'candidate' : 'job', row));
  if (isSecond) return { ...read, next: next === null ? null : SECOND + next };
  return { ...read, next: next ?? SECOND };
}

async function job(api: AtsApi, id: string): Promise<AtsJob | null> {
  const found = await zohoRecord(api, `/Job_Openings/${encodeURIComponent(id)}`);
  return found === null ? null : readOne(() => zohoJob(found));
}

async function candidate(api: AtsApi, id: string): Promise<AtsCandidate | null> {
  const person = await zohoRecord(api, `/Candidates/${encodeURIComponent(id)}`);
  if (person === null) return null;
  const associated = await openingsOf(api, id);
  return readOne(() => zohoCandidate(person, associated));
}

async function user(api: AtsApi, id: string): Promise<AtsUser | null> {
  const found = await zohoRecord(api, `/users/${encodeURIComponent(id)}`, 'users');
  return found === null ? null : readOne(() => zohoUser(found));
}

async function test(api: AtsApi): Promise<string> {
  const { rows } = await zohoPage(api, '/Job_Openings', null, { query: { per_page: '1' } });
  return rows.length === 0
    ? `${ZOHO} answers; it shows no job opening.`
    : `${ZOHO} answers, and shows its job openings.`;
}

/** An ended application is no evidence about the candidate's others. A full pass shows those as well. */
function ofApplication(
  api: AtsApi,
  application: RemoteObject,
  since: Date | null,
): AtsCandidate | Promise<AtsCandidate> {
  const told = zohoCandidateOfApplication(application);
  if (since === null || zohoGoesOn(application)) return told;
  return candidate(api, told.remoteId).then((read) =>
    read === null ? told : { ...read, changedAt: laterOf(read.changedAt, told.changedAt) },
  );
}

async function withOpenings(api: AtsApi, person: RemoteObject): Promise<AtsCandidate> {
  const id = readOne(() => zohoCandidate(person, [])).remoteId;
  return zohoCandidate(person, await openingsOf(api, id));
}

/** Returns null where Zoho does not show the openings: the application stays unchanged. */
async function openingsOf(api: AtsApi, id: string): Promise<RemoteObject[] | null> {
  try {
    return objectsIn(await zohoRows(api, `/Candidates/${encodeURIComponent(id)}/associate`));
  } catch (error) {
    if (error instanceof AtsFailure && ['rejected', 'forbidden', 'not_found'].includes(error.kind)) return null;
    throw error;
  }
}

export const zohoRecruitReads = { test, jobs, candidates, gone, job, candidate, user } satisfies Partial<Connector>;
