import type { JobStatus } from '../../../../hiring/jobs/job.js';
import {
  type AtsCandidate,
  type AtsGone,
  type AtsJob,
  type AtsRecordKind,
  NotUnderstood,
  type AtsUser,
} from '../connector.js';
import {
  idOf,
  listOf,
  objectOf,
  objectsIn,
  requiredId,
  requiredText,
  textOf,
  timeOf,
  type RemoteObject,
  splitName,
} from '../remote-json.js';

const STATES: Readonly<Record<string, JobStatus>> = {
  published: 'open',
  internal: 'open',
  closed: 'closed',
  rejected: 'closed',
  draft: 'draft',
  pending: 'draft',
};

export function leverJob(posting: RemoteObject): AtsJob {
  const categories = objectOf(posting['categories']) ?? {};
  const state = requiredText(posting['state'], 'The state of the posting');
  const status = STATES[state];
  if (status === undefined) throw new NotUnderstood('The state of the posting is not known.');
  return {
    remoteId: requiredId(posting['id'], 'The id of the posting'),
    title: requiredText(posting['text'], 'The title of the posting'),
    status,
    department: textOf(categories['department']) ?? textOf(categories['team']),
    location: textOf(categories['location']),
    employmentType: textOf(categories['commitment']),
    url: textOf(objectOf(posting['urls'])?.['show']),
    changedAt: timeOf(posting['updatedAt']),
  };
}

export function isAnonymized(opportunity: RemoteObject): boolean {
  return opportunity['isAnonymized'] === true;
}

export function applicationIdsIn(opportunity: RemoteObject): string[] {
  return listOf(opportunity['applications']).flatMap((one) => (objectOf(one) === null ? (idOf(one) ?? []) : []));
}

export function applicationsIn(opportunity: RemoteObject): RemoteObject[] {
  return objectsIn(opportunity['applications']);
}

/** @throws {NotUnderstood} */
export function leverCandidate(opportunity: RemoteObject, applications: readonly RemoteObject[]): AtsCandidate {
  if (isAnonymized(opportunity)) throw new NotUnderstood('The person was anonymised in Lever.');
  const name = requiredText(opportunity['name'], 'The name of the opportunity');
  const application = newestOf(applications);
  return {
    remoteId: requiredId(opportunity['id'], 'The id of the opportunity'),
    ...splitName(name),
    email:
      listOf(opportunity['emails'])
        .map(textOf)
        .find((one) => one !== null) ?? null,
    jobRemoteId: application === null ? null : idIn(application['posting']),
    status: opportunity['archived'] === null || opportunity['archived'] === undefined ? 'active' : 'archived',
    stage: stageOf(opportunity['stage']),
    metadata: {
      full_name: name,
      contact_id: idIn(opportunity['contact']),
      application_id: application === null ? null : idOf(application['id']),
      ats_source:
        listOf(opportunity['sources'])
          .map(textOf)
          .find((one) => one !== null) ?? null,
      referrer: nameIn(opportunity['sourcedBy']),
      ats_url: textOf(objectOf(opportunity['urls'])?.['show']),
    },
    changedAt: timeOf(opportunity['updatedAt']),
  };
}

export function goneOf(kind: AtsRecordKind, row: RemoteObject): AtsGone {
  return { kind, remoteId: requiredId(row['id'], 'The id'), at: timeOf(row['deletedAt']), survivorId: null };
}

export function leverUser(user: RemoteObject): AtsUser {
  return {
    id: requiredId(user['id'], 'The id of the user'),
    name: textOf(user['name']),
    email: textOf(user['email']),
    active: user['deactivatedAt'] === null || user['deactivatedAt'] === undefined,
  };
}

/** An open application comes before an archived one, then the newest counts. */
function newestOf(applications: readonly RemoteObject[]): RemoteObject | null {
  const rank = (one: RemoteObject): number => (one['archived'] === null || one['archived'] === undefined ? 1 : 0);
  const made = (one: RemoteObject): number => timeOf(one['createdAt'])?.getTime() ?? 0;
  const withJob = applications.filter((one) => idIn(one['posting']) !== null);
  const sorted = withJob.sort((one, other) => rank(other) - rank(one) || made(other) - made(one));
  return sorted[0] ?? null;
}

/** A reference is an id, or the object itself where it was expanded. */
function idIn(reference: unknown): string | null {
  return idOf(objectOf(reference)?.['id'] ?? reference);
}

function nameIn(reference: unknown): string | null {
  const user = objectOf(reference);
  return user === null ? idOf(reference) : (textOf(user['name']) ?? textOf(user['email']) ?? idOf(user['id']));
}

function stageOf(reference: unknown): AtsCandidate['stage'] {
  const id = idIn(reference);
  return id === null ? null : { id, name: textOf(objectOf(reference)?.['text']) };
}
