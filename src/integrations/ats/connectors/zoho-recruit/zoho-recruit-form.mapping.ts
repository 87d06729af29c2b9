import type { AtsCandidate } from '../ats-records.js';
import { NotUnderstood } from '../connector.js';
import { textOf, timeOf, type RemoteObject } from '../remote-json.js';
import { splitName } from '../split-name.js';
import { openingName, recordIdOf, zohoStatus } from './zoho-recruit.mapping.js';

/** Keys of the metadata that a form may set. */
const METADATA = ['ats_priority', 'ats_source', 'referrer', 'application_id'];

/** Further names of fields: those that Zoho offers itself. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  id: 'candidate_id',
  candidates_id: 'candidate_id',
  full_name: 'name',
  posting_title: 'job_title',
  job_opening_name: 'job_title',
  candidate_status: 'status',
  application_status: 'status',
  stage: 'status',
  source: 'ats_source',
};

/**
 * Returns the candidate of a form that a workflow rule sends. The customer names its fields: `candidate_id` is the record
 * id of Zoho, and case, blanks and underscores of a name do not count.
 *
 * @throws {NotUnderstood} where it names no candidate
 */
export function candidateOfForm(form: RemoteObject): AtsCandidate {
  const fields = named(form);
  const remoteId = recordIdOf(fields.get('candidate_id'));
  if (remoteId === null) {
    throw new NotUnderstood('The form has no field candidate_id with a record id of Zoho, which consists of digits.');
  }
  const stage = fields.get('status');
  const metadata = METADATA.flatMap((key) => (fields.has(key) ? [[key, fields.get(key)!]] : []));
  const opening = openingOf(fields);
  return {
    remoteId,
    ...namesOf(fields),
    email: fields.get('email') ?? null,
    ...opening,
    ...(stage === undefined ? {} : { status: zohoStatus(stage), stage: { id: stage, name: stage } }),
    metadata: { ...openingName(opening), ...(Object.fromEntries(metadata) as Record<string, string>) },
    // Without it the record is read where the connection can.
    changedAt: timeOf(fields.get('modified_time')),
  };
}

function openingOf(fields: ReadonlyMap<string, string>): Pick<AtsCandidate, 'jobRemoteId' | 'job'> {
  const jobRemoteId = recordIdOf(fields.get('job_opening_id'));
  if (jobRemoteId === null) return {};
  const title = fields.get('job_title');
  // The time makes what the opening itself says newer in any case.
  const job = { remoteId: jobRemoteId, title: title ?? '', status: 'open' as const, changedAt: new Date(0) };
  return { jobRemoteId, ...(title === undefined ? {} : { job }) };
}

function namesOf(fields: ReadonlyMap<string, string>): Pick<AtsCandidate, 'firstName' | 'lastName'> {
  const [first, last, full] = ['first_name', 'last_name', 'name'].map((name) => fields.get(name));
  if (first !== undefined || last !== undefined) {
    return { firstName: first ?? last!, lastName: first === undefined ? '' : (last ?? '') };
  }
  if (full === undefined) throw new NotUnderstood('The form has no name of the candidate.');
  return splitName(full);
}

/** Returns the fields by their names here; empty ones are left out. */
function named(form: RemoteObject): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(form)) {
    const text = textOf(value);
    if (text === null) continue;
    const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
    const known = OTHER_NAMES[plain] ?? plain;
    if (!fields.has(known)) fields.set(known, text);
  }
  return fields;
}
