import type { AtsStatus } from '../../../../hiring/candidates/candidate.js';
import type { JobStatus } from '../../../../hiring/jobs/job.js';
import { type AtsCandidate, type AtsJob, NotUnderstood, type AtsUser } from '../connector.js';
import {
  idOf,
  laterOf,
  listOf,
  objectOf,
  requiredId,
  requiredText,
  textOf,
  timeOf,
  type RemoteObject,
  splitName,
} from '../remote-json.js';

const STATUSES: Readonly<Record<string, JobStatus>> = {
  Open: 'open',
  Closed: 'closed',
  Archived: 'closed',
  Draft: 'draft',
};

/** Of several applications the active one counts; of equal ones the newest. */
const RANKS: Readonly<Record<string, number>> = { Active: 3, Lead: 2, Hired: 1, Archived: 0 };

/** Returns a job. @throws {NotUnderstood} */
export function ashbyJob(job: RemoteObject): AtsJob {
  const status = STATUSES[requiredText(job['status'], 'The status of the job')];
  if (status === undefined) throw new NotUnderstood('The status of the job is not known.');
  return {
    remoteId: requiredId(job['id'], 'The id of the job'),
    title: requiredText(job['title'], 'The title of the job'),
    status,
    employmentType: textOf(job['employmentType']),
    openedAt: timeOf(job['openedAt']),
    closedAt: timeOf(job['closedAt']),
    changedAt: timeOf(job['updatedAt']),
  };
}

export function ashbyGoesOn(application: RemoteObject): boolean {
  return (RANKS[String(application['status'])] ?? 0) >= 2;
}

/** The answer holds name, e-mail and job. A key that Ashby left out has no value. @throws {NotUnderstood} */
export function ashbyCandidateOfApplication(application: RemoteObject): AtsCandidate {
  const person = objectOf(application['candidate']);
  if (person === null) throw new NotUnderstood('The application names no candidate.');
  return ashbyCandidate(person, [application], timeOf(application['updatedAt']));
}

/**
 * @param changedAt the last change of candidate and applications; null when it is found in them
 * @throws {NotUnderstood}
 */
export function ashbyCandidate(
  person: RemoteObject,
  applications: readonly RemoteObject[],
  changedAt: Date | null = null,
): AtsCandidate {
  const name = requiredText(person['name'], 'The name of the candidate');
  const application = chosen(applications);
  const source = objectOf(application?.['source']) ?? objectOf(person['source']);
  const credited = objectOf(application?.['creditedToUser']) ?? objectOf(person['creditedToUser']);
  return {
    remoteId: requiredId(person['id'], 'The id of the candidate'),
    ...splitName(name),
    email: emailOf(person),
    ...(application === null ? { jobRemoteId: null } : ofApplication(application)),
    metadata: {
      full_name: name,
      application_id: application === null ? null : idOf(application['id']),
      ats_source: textOf(source?.['title']),
      referrer: credited === null ? null : (nameOf(credited) ?? idOf(credited['id'])),
      ...('profileUrl' in person ? { ats_url: textOf(person['profileUrl']) } : {}),
    },
    changedAt: changedAt ?? applications.reduce(latest, timeOf(person['updatedAt'])),
  };
}

export function ashbyUser(user: RemoteObject): AtsUser {
  return {
    id: requiredId(user['id'], 'The id of the user'),
    name: nameOf(user),
    email: textOf(user['email']),
    active: user['isEnabled'] !== false,
  };
}

/** Ashby archives rejected candidates: the reason shows the state. */
function statusOf(application: RemoteObject): AtsStatus {
  if (ashbyGoesOn(application)) return 'active';
  if (application['status'] === 'Hired') return 'hired';
  const reason = textOf(objectOf(application['archiveReason'])?.['reasonType']) ?? '';
  return reason.startsWith('Rejected') ? 'rejected' : 'archived';
}

function ofApplication(application: RemoteObject): Pick<AtsCandidate, 'jobRemoteId' | 'job' | 'status' | 'stage'> {
  const job = objectOf(application['job']);
  const jobRemoteId = idOf(job?.['id']);
  const title = textOf(job?.['title']);
  const active = ashbyGoesOn(application);
  const stage = objectOf(application['currentInterviewStage']);
  const stageId = idOf(stage?.['id']);
  return {
    jobRemoteId,
    // An application names its job by id and title. Its time makes the data of the job itself newer in any case.
    ...(active && jobRemoteId !== null && title !== null
      ? { job: { remoteId: jobRemoteId, title, status: 'open' as const, changedAt: new Date(0) } }
      : {}),
    status: statusOf(application),
    stage: stageId === null ? null : { id: stageId, name: textOf(stage?.['title']) },
  };
}

function chosen(applications: readonly RemoteObject[]): RemoteObject | null {
  const rank = (one: RemoteObject): number => RANKS[String(one['status'])] ?? 0;
  const made = (one: RemoteObject): number => timeOf(one['createdAt'])?.getTime() ?? 0;
  const sorted = [...applications].sort((one, other) => rank(other) - rank(one) || made(other) - made(one));
  return sorted[0] ?? null;
}

function emailOf(person: RemoteObject): string | null {
  const first = objectOf(person['primaryEmailAddress']) ?? objectOf(listOf(person['emailAddresses'])[0]);
  return textOf(first?.['value']);
}

function nameOf(user: RemoteObject): string | null {
  const parts = [textOf(user['firstName']), textOf(user['lastName'])].filter((part) => part !== null);
  return parts.length === 0 ? textOf(user['email']) : parts.join(' ');
}

function latest(time: Date | null, row: RemoteObject): Date | null {
  return laterOf(time, timeOf(row['updatedAt']));
}
