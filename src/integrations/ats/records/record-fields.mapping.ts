import { cutTo, isLongerThan } from '../../../base/characters.js';
import { MAX_EXTERNAL_ID, isPlain, isTidy, tidy, EMAIL } from '../../../base/http/fields.js';
import type { CandidateRow } from '../../../hiring/candidates/candidate.js';
import type { SyncedCandidate } from '../../../hiring/candidates/candidate.rules.js';
import type { JobFields, JobStatus } from '../../../hiring/jobs/job.js';
import type { AtsConnection, Takes } from '../connections/connection.js';
import type { AtsCandidate, AtsJob } from '../connectors/connector.js';
import type { LeftOutReason } from './record.js';

const MAX_NAME = 200;
const MAX_EMAIL = 320;
const MAX_URL = 2_000;
const MAX_VALUE = 500;
const UNTIDY = /[\p{Cc}\p{Cs}]/gu;
const WEB = /^https?:\/\/[^\s/]\S*$/i;

type Owner = Pick<AtsConnection, 'id' | 'provider' | 'marker'>;

/** Returns the `external_id` of a record of an ATS; null when the API would refuse it. */
export function externalIdOf({ marker }: Pick<AtsConnection, 'marker'>, remoteId: string): string | null {
  const id = marker + remoteId;
  if (id.length <= MAX_EXTERNAL_ID && remoteId !== '' && isPlain(id)) return id;
  return remoteId !== '' && isTidy(id) && tidy(id) === id && !isLongerThan(id, MAX_EXTERNAL_ID) ? id : null;
}

/** Returns an opening for the jobs room. Values that the ATS lacks stay unchanged. */
export function openingOf(owner: Owner, job: AtsJob): Partial<JobFields> & { ats_connection_id: string } {
  const { department, location, employmentType, url, openedAt, closedAt, status } = job;
  const text = (value: string | null | undefined) => (value == null ? value : clean(value, MAX_NAME) || null);
  const fields = {
    department: text(department),
    location: text(location),
    employment_type: text(employmentType),
    url: url == null ? url : webAddress(url),
    opened_at: openedAt,
    closed_at: closedAt,
  };
  const said = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const title = clean(job.title, MAX_NAME) || job.remoteId;
  return { ...said, title, status, ats: owner.provider, ats_connection_id: owner.id };
}

/** @param known the existing candidate: it keeps an e-mail that the ATS no longer has */
export function syncedOf(
  owner: Owner,
  candidate: AtsCandidate,
  known: { email: string } | undefined,
): SyncedCandidate | LeftOutReason {
  const externalId = externalIdOf(owner, candidate.remoteId);
  if (externalId === null) return 'bad_id';
  const email = emailOf(candidate.email) ?? known?.email;
  if (email === undefined) return 'no_email';
  const first = clean(candidate.firstName, MAX_NAME);
  const last = clean(candidate.lastName, MAX_NAME);
  if (first === '' && last === '') return 'no_name';
  const names = first === '' ? { firstName: last, lastName: '' } : { firstName: first, lastName: last };
  const { jobRemoteId, stage, status } = candidate;
  return {
    externalId,
    connectionId: owner.id,
    email,
    ...names,
    ...(jobRemoteId === undefined ? {} : { opening: jobRemoteId && externalIdOf(owner, jobRemoteId) }),
    metadata: metadataOf(owner, candidate),
    ...(stage === undefined ? {} : { stage: stageName(stage) }),
    ...(status === undefined ? {} : { status }),
  };
}

function stageName(stage: AtsCandidate['stage']): string | null {
  return stage == null ? null : clean(stage.name ?? stage.id, MAX_VALUE) || null;
}

function metadataOf(owner: Owner, candidate: AtsCandidate): Record<string, string | null> {
  const { jobRemoteId, stage, metadata = {} } = candidate;
  const job = jobRemoteId == null ? null : externalIdOf(owner, jobRemoteId);
  const values: Record<string, string | null> = { ats: owner.provider };
  if (jobRemoteId !== undefined) {
    values['job_opening_id'] = job;
    values['original_job_id'] = job === null ? null : jobRemoteId;
  }
  if (stage !== undefined) values['ats_stage'] = stageName(stage);
  for (const name of Object.keys(metadata)) {
    const value = metadata[name] ?? null;
    if (isTidy(name) && name !== '') values[name] = value === null ? null : clean(value, MAX_VALUE) || null;
  }
  return values;
}

/** Returns an address that the API would accept: an ATS holds any text that was typed into the field. */
function emailOf(text: string | null): string | undefined {
  if (text === null) return undefined;
  const email = tidy(text);
  return EMAIL.test.test(email) && isTidy(email) && !isLongerThan(email, MAX_EMAIL) ? email : undefined;
}

function webAddress(text: string): string | null {
  const url = tidy(text);
  return WEB.test(url) && isTidy(url) && !isLongerThan(url, MAX_URL) ? url : null;
}

/** Control characters become blanks: they come from texts that were pasted into the ATS. */
function clean(text: string, max: number): string {
  if (text.length <= max && isPlain(text)) return text;
  return cutTo(tidy(cutTo(text, 4 * max).replace(UNTIDY, ' ')), max).trim();
}

/** Keys of the record itself, not of its `metadata`. */
const OWN = new Set(['ats', 'job_opening_id', 'original_job_id', 'ats_stage']);

/**
 * Returns the survivor of a merge with the data of the merged candidate: both are one person. It has no time of a
 * change, so that all data of the survivor from the ATS is newer.
 */
export function survivorFrom(merged: CandidateRow, remoteId: string): AtsCandidate {
  const values = JSON.parse(merged.metadata) as Record<string, unknown>;
  const textOf = (name: string): string | null => (typeof values[name] === 'string' ? values[name] : null);
  const stage = textOf('ats_stage');
  const further = (merged.ats_keys ?? []).filter((name) => !OWN.has(name));
  return {
    remoteId,
    firstName: merged.first_name,
    lastName: merged.last_name,
    email: merged.email,
    jobRemoteId: textOf('original_job_id'),
    stage: stage === null ? null : { id: stage, name: stage },
    ...(merged.ats_status === null ? {} : { status: merged.ats_status }),
    metadata: Object.fromEntries(further.map((name) => [name, textOf(name)])),
    changedAt: null,
  };
}

/** Returns why a new candidate is not taken, or null. An unknown stage keeps it out: stages are chosen by name. */
export function personRefusal(takes: Takes, candidate: AtsCandidate, changedAt: Date): LeftOutReason | null {
  if (takes.candidates === 'active' && (candidate.status ?? 'active') !== 'active') return 'not_active';
  if (takes.stages !== null && !takes.stages.includes(candidate.stage?.id ?? '')) return 'other_stage';
  if (takes.since !== null && changedAt.getTime() < Date.parse(takes.since)) return 'before_since';
  return null;
}

/** Returns why a connection does not take a candidate of an opening with this state; undefined means no opening. */
export function openingRefusal(takes: Takes, status: JobStatus | undefined): LeftOutReason | null {
  return takes.postings === 'open' && status !== 'open' ? 'no_open_job' : null;
}
