import type { AtsStatus } from '../../../../hiring/candidates/candidate.js';
import type { JobStatus } from '../../../../hiring/jobs/job.js';
import { type AtsCandidate, type AtsJob, NotUnderstood, type AtsUser } from '../connector.js';
import {
  idOf,
  laterOf,
  listOf,
  objectOf,
  objectsIn,
  requiredId,
  requiredText,
  textOf,
  timeOf,
  type RemoteObject,
} from '../remote-json.js';

const STATUSES: Readonly<Record<string, JobStatus>> = { open: 'open', closed: 'closed', draft: 'draft' };
const ENDED = new Set(['rejected', 'hired', 'converted', 'inactive']);

export function greenhouseJob(job: RemoteObject): AtsJob {
  const status = STATUSES[requiredText(job['status'], 'The status of the job').toLowerCase()];
  if (status === undefined) throw new NotUnderstood('The status of the job is not known.');
  const office = objectsIn(job['offices'])[0];
  return {
    remoteId: requiredId(job['id'], 'The id of the job'),
    title: requiredText(job['name'], 'The name of the job'),
    status,
    ...('departments' in job ? { department: textOf(objectsIn(job['departments'])[0]?.['name']) } : {}),
    ...('offices' in job ? { location: locationOf(office) } : {}),
    ...('custom_fields' in job ? { employmentType: fieldOf(job['custom_fields'], 'employment_type') } : {}),
    openedAt: timeOf(job['opened_at']),
    closedAt: timeOf(job['closed_at']),
    changedAt: timeOf(job['updated_at']),
  };
}

export function greenhouseGoesOn({ status, rejected_at: rejectedAt }: RemoteObject): boolean {
  return (rejectedAt === null || rejectedAt === undefined) && !ENDED.has(String(status));
}

function statusOf(application: RemoteObject): AtsStatus {
  if (greenhouseGoesOn(application)) return 'active';
  const { status, rejected_at: rejectedAt } = application;
  if (status === 'hired') return 'hired';
  return status === 'rejected' || (rejectedAt !== null && rejectedAt !== undefined) ? 'rejected' : 'archived';
}

/** @throws {NotUnderstood} */
export function greenhouseCandidate(
  person: RemoteObject,
  applications: readonly RemoteObject[],
  sources: ReadonlyMap<string, string>,
): AtsCandidate {
  const application = chosen(applications);
  const sourceId = idOf(application?.['source_id']);
  const stageId = idOf(application?.['stage_id']) ?? idOf(application?.['job_interview_stage_id']);
  const own = laterOf(timeOf(person['updated_at']), timeOf(person['last_activity_at']));
  return {
    ...personOf(person),
    jobRemoteId: idOf(application?.['job_id']),
    ...(application === null ? {} : { status: statusOf(application) }),
    stage: stageId === null ? null : { id: stageId, name: textOf(application?.['stage_name']) },
    metadata: {
      application_id: idOf(application?.['id']),
      ...(application === null ? { ats_source: null } : sourceOf(sourceId, sources)),
    },
    changedAt: applications.reduce((time: Date | null, one) => laterOf(time, lastChangeOf(one)), own),
  };
}

export function greenhouseCandidateOfApplication(application: RemoteObject): AtsCandidate {
  const person = objectOf(application['candidate']);
  if (person === null) throw new NotUnderstood('The application names no candidate.');
  const job = objectsIn(application['jobs'])[0];
  const stage = objectOf(application['current_stage']);
  const stageId = idOf(stage?.['id']);
  const credited = objectOf(application['credited_to']);
  return {
    ...personOf(person),
    jobRemoteId: idOf(job?.['id']),
    ...jobIn(job),
    status: statusOf(application),
    stage: stageId === null ? null : { id: stageId, name: textOf(stage?.['name']) },
    metadata: {
      application_id: requiredId(application['id'], 'The id of the application'),
      ats_source: textOf(objectOf(application['source'])?.['name']),
      referrer: textOf(credited?.['name']) ?? textOf(credited?.['email']) ?? idOf(credited?.['id']),
      ...('url' in person ? { ats_url: textOf(person['url']) } : {}),
    },
    changedAt: lastChangeOf(application),
  };
}

/** Returns the candidate of a webhook about the person alone. @throws {NotUnderstood} */
export function candidateOfPerson(person: RemoteObject): AtsCandidate {
  return { ...personOf(person), changedAt: laterOf(timeOf(person['updated_at']), timeOf(person['last_activity'])) };
}

export function greenhouseUser(user: RemoteObject): AtsUser {
  const names = [textOf(user['first_name']), textOf(user['last_name'])].filter((part) => part !== null);
  const isOff = user['disabled'] === true || user['deactivated'] === true || user['active'] === false;
  return {
    id: requiredId(user['id'], 'The id of the user'),
    name: textOf(user['name']) ?? (names.length === 0 ? null : names.join(' ')),
    email: textOf(user['primary_email']) ?? textOf(user['primary_email_address']) ?? textOf(user['email']),
    active: !isOff,
  };
}

export function lastChangeOf(application: RemoteObject): Date | null {
  return laterOf(timeOf(application['updated_at']), timeOf(application['last_activity_at']));
}

/** Greenhouse keeps first and last name apart; a person with one name has it as either. */
function personOf(person: RemoteObject): Pick<AtsCandidate, 'remoteId' | 'firstName' | 'lastName' | 'email'> {
  const first = textOf(person['first_name']);
  const last = textOf(person['last_name']);
  const firstName = first ?? last;
  if (firstName === null) throw new NotUnderstood('The candidate has no name.');
  return {
    remoteId: requiredId(person['id'], 'The id of the candidate'),
    firstName,
    lastName: first === null ? '' : (last ?? ''),
    email: emailOf(person['email_addresses']),
  };
}

function emailOf(addresses: unknown): string | null {
  return (
    listOf(addresses)
      .map((one) => textOf(objectOf(one)?.['value']))
      .find((value) => value !== null) ?? null
  );
}

/** A source without a known name stays unchanged. */
function sourceOf(id: string | null, sources: ReadonlyMap<string, string>): { ats_source?: string | null } {
  if (id === null) return { ats_source: null };
  const name = sources.get(id);
  return name === undefined ? {} : { ats_source: name };
}

/** A job in a webhook has no time of its last change: its creation is earlier in any case. */
function jobIn(job: RemoteObject | undefined): { job?: AtsJob } {
  if (job === undefined || textOf(job['status']) === null || textOf(job['name']) === null) return {};
  const read = greenhouseJob(job);
  return { job: { ...read, changedAt: read.changedAt ?? timeOf(job['created_at']) ?? new Date(0) } };
}

function chosen(applications: readonly RemoteObject[]): RemoteObject | null {
  const rank = (one: RemoteObject): number => (greenhouseGoesOn(one) ? 2 : 0) + (idOf(one['job_id']) === null ? 0 : 1);
  const made = (one: RemoteObject): number => timeOf(one['applied_at'] ?? one['created_at'])?.getTime() ?? 0;
  const sorted = [...applications].sort((one, other) => rank(other) - rank(one) || made(other) - made(one));
  return sorted[0] ?? null;
}

function locationOf(office: RemoteObject | undefined): string | null {
  const location = office?.['location'];
  return textOf(objectOf(location)?.['name'] ?? location) ?? textOf(office?.['name']);
}

/** Custom fields are a list with keys in the API, and an object in webhooks. */
function fieldOf(fields: unknown, key: string): string | null {
  const listed = objectsIn(fields).find(({ name_key: name }) => name === key);
  return textOf((listed ?? objectOf(objectOf(fields)?.[key]))?.['value']);
}
