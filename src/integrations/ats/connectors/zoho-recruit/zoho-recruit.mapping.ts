import type { AtsStatus } from '../../../../hiring/candidates/candidate.js';
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
  laterOf,
  objectOf,
  requiredId,
  requiredText,
  textOf,
  timeOf,
  type RemoteObject,
  splitName,
} from '../remote-json.js';

/** Customers rename the states of their openings, so words decide; a state without such a word is open. */
const CLOSED = /fill|clos|cancel|declin|inactive|hold|archiv/i;
const DRAFT = /approval|draft/i;

/** States of ended applications; a state without such a word is active. */
const ENDED: readonly (readonly [RegExp, AtsStatus])[] = [
  [/^(hired|joined|converted)/i, 'hired'],
  [/^(rejected|un-?qualified|junk|offer-(declined|withdrawn))/i, 'rejected'],
  [/^(archived|withdrawn|no-show)/i, 'archived'],
];

/** The state of a candidate that was never associated with an opening. */
const NOT_ASSOCIATED = 'New';

/** Record ids of Zoho are digits; texts such as `ZR_12_JOB` are numbers for people. */
const RECORD_ID = /^\d{1,30}$/;

/** Returns the id of a reference: digits, or an object with them; null when the reference names no record. */
export function recordIdOf(reference: unknown): string | null {
  const value = objectOf(reference)?.['id'] ?? reference;
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && RECORD_ID.test(text) ? text : null;
}

export function zohoJob(opening: RemoteObject): AtsJob {
  const status = requiredText(opening['Job_Opening_Status'], 'The status of the job opening');
  const place = ['City', 'State', 'Country'].map((name) => textOf(opening[name])).filter((one) => one !== null);
  return {
    remoteId: requiredId(opening['id'], 'The id of the job opening'),
    title: requiredText(opening['Posting_Title'] ?? opening['Job_Opening_Name'], 'The title of the job opening'),
    status: jobStatusOf(status),
    department: nameIn(opening['Department_Name'] ?? opening['Department']),
    location: place.length === 0 ? null : place.join(', '),
    employmentType: textOf(opening['Job_Type']),
    openedAt: timeOf(opening['Date_Opened'] ?? opening['Created_Time']),
    changedAt: timeOf(opening['Modified_Time']),
  };
}

export function zohoGoesOn(application: RemoteObject): boolean {
  return zohoStatus(stageName(application)) === 'active';
}

/** Returns the candidate of an application, which holds name, e-mail and opening. @throws {NotUnderstood} */
export function zohoCandidateOfApplication(application: RemoteObject): AtsCandidate {
  const remoteId =
    recordIdOf(application['$Candidate_Id']) ??
    recordIdOf(application['Candidate_Id']) ??
    recordIdOf(application['Candidate_Name']) ??
    recordIdOf(application['Candidate']);
  if (remoteId === null) throw new NotUnderstood('The application names no candidate.');
  const standing = standingOf(application, jobIdOf(application));
  return {
    remoteId,
    ...personOf(application),
    ...standing,
    metadata: {
      ...openingName(standing),
      application_id: requiredId(application['id'], 'The id of the application'),
      ...('Source' in application ? { ats_source: textOf(application['Source']) } : {}),
    },
    changedAt:
      timeOf(application['Modified_Time']) ?? timeOf(application['Updated_On']) ?? timeOf(application['Created_Time']),
  };
}

/**
 * @param associated the openings of the candidate, each with the state of the application; null when unknown
 * @throws {NotUnderstood}
 */
export function zohoCandidate(person: RemoteObject, associated: readonly RemoteObject[] | null): AtsCandidate {
  // A row is the opening itself, or an application that names it.
  const opening = chosen(
    (associated ?? []).map((row) => ('Job_Opening_Status' in row ? { ...row, $Job_Opening_Id: row['id'] } : row)),
  );
  const standing = opening === null ? NO_APPLICATION : standingOf(withStatus(opening, person), jobIdOf(opening));
  return {
    remoteId: requiredId(person['id'], 'The id of the candidate'),
    ...personOf(person),
    ...(associated === null ? {} : standing),
    metadata: {
      ...(associated === null ? {} : openingName(standing)),
      ...(associated?.length === 0 ? { application_id: null } : {}),
      ats_source: textOf(person['Source']),
      ...('ATS_Priority' in person ? { ats_priority: textOf(person['ATS_Priority']) } : {}),
    },
    changedAt: timeOf(person['Modified_Time']),
  };
}

export function isNotAssociated(person: RemoteObject): boolean {
  return (textOf(person['Candidate_Status']) ?? NOT_ASSOCIATED) === NOT_ASSOCIATED;
}

export function zohoGone(kind: AtsRecordKind, row: RemoteObject): AtsGone {
  return { kind, remoteId: requiredId(row['id'], 'The id'), at: timeOf(row['deleted_time']), survivorId: null };
}

export function zohoUser(user: RemoteObject): AtsUser {
  return {
    id: requiredId(user['id'], 'The id of the user'),
    name: textOf(user['full_name']) ?? textOf(user['name']),
    email: textOf(user['email']),
    active: (textOf(user['status']) ?? 'active').toLowerCase() === 'active',
  };
}

export function zohoStatus(name: string | null): AtsStatus {
  const words = (name ?? '').trim().replace(/\s+/g, '-');
  return ENDED.find(([pattern]) => pattern.test(words))?.[1] ?? 'active';
}

/** The metadata names the opening by its id in Zoho, without the marker, as a workflow rule does. */
export function openingName({ jobRemoteId }: Pick<AtsCandidate, 'jobRemoteId'>): Record<string, string | null> {
  return jobRemoteId === undefined ? {} : { job_opening_id: jobRemoteId };
}

const NO_APPLICATION = { jobRemoteId: null, status: 'active', stage: null } as const;

function jobStatusOf(name: string): JobStatus {
  if (CLOSED.test(name)) return 'closed';
  return DRAFT.test(name) ? 'draft' : 'open';
}

/** Last_Name is the one name that Zoho demands: a person with one name has it there. */
function personOf(row: RemoteObject): Pick<AtsCandidate, 'firstName' | 'lastName' | 'email'> {
  const [first, last] = [textOf(row['First_Name']), textOf(row['Last_Name'])];
  const full = textOf(row['Full_Name']);
  if (first === null && last === null && full === null)
    throw new NotUnderstood('The name of the candidate is missing.');
  const names =
    first === null && last === null
      ? splitName(full!)
      : { firstName: first ?? last!, lastName: first === null ? '' : (last ?? '') };
  return { ...names, email: textOf(row['Email']) ?? textOf(row['Secondary_Email']) };
}

function standingOf(
  application: RemoteObject,
  jobRemoteId: string | null,
): Pick<AtsCandidate, 'jobRemoteId' | 'job' | 'status' | 'stage'> {
  const stage = stageName(application);
  const status = zohoStatus(stage);
  const title = textOf(application['Posting_Title']) ?? nameIn(application['Job_Opening_Name']);
  return {
    jobRemoteId,
    // An application names its opening by id and title. Its time makes the data of the opening itself newer in any
    // case.
    ...(status === 'active' && jobRemoteId !== null && title !== null
      ? { job: { remoteId: jobRemoteId, title, status: 'open' as const, changedAt: new Date(0) } }
      : {}),
    status,
    stage: stage === null ? null : { id: stage, name: stage },
  };
}

function stageName(application: RemoteObject): string | null {
  return textOf(application['Application_Status']) ?? textOf(application['Candidate_Status']);
}

function withStatus(opening: RemoteObject, person: RemoteObject): RemoteObject {
  return stageName(opening) === null ? { ...opening, Candidate_Status: person['Candidate_Status'] } : opening;
}

function jobIdOf(row: RemoteObject): string | null {
  return (
    recordIdOf(row['$Job_Opening_Id']) ??
    recordIdOf(row['Job_Opening_Id']) ??
    recordIdOf(row['Job_Opening_Name']) ??
    recordIdOf(row['Job_Opening'])
  );
}

/** Of several applications the active one counts; of equal ones the newest. */
function chosen(rows: readonly RemoteObject[]): RemoteObject | null {
  const time = (row: RemoteObject): number =>
    laterOf(timeOf(row['Updated_On']), timeOf(row['Modified_Time']))?.getTime() ?? 0;
  const sorted = [...rows].sort((a, b) => Number(zohoGoesOn(b)) - Number(zohoGoesOn(a)) || time(b) - time(a));
  return sorted[0] ?? null;
}

function nameIn(reference: unknown): string | null {
  return textOf(objectOf(reference)?.['name'] ?? reference);
}
