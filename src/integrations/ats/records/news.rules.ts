import type { CandidateRow } from '../../../hiring/candidates/candidate.js';
import type { AtsCandidate } from '../connectors/connector.js';
import { personAt, type AtsRecordRow, type RecordItem } from './record.js';

type CandidateItem = Extract<RecordItem, { kind: 'candidate' }>;

export interface News {
  candidate: AtsCandidate;
  changedAt: Date;
  personAt: Date;
}

export function tellsApplication({ jobRemoteId, stage, status }: AtsCandidate): boolean {
  return jobRemoteId !== undefined || stage !== undefined || status !== undefined;
}

export function personAlone({ remoteId, firstName, lastName, email, changedAt }: AtsCandidate): AtsCandidate {
  return { remoteId, firstName, lastName, email, changedAt };
}

/** An application that ended beside an active one does not change the candidate's application. */
export function isBeside(candidate: AtsCandidate, known: { id: string | null; status: string | null }): boolean {
  const own = candidate.metadata?.['application_id'] ?? null;
  const hasEnded = candidate.status !== undefined && candidate.status !== 'active';
  return hasEnded && known.status === 'active' && own !== null && known.id !== null && own !== known.id;
}

/**
 * Returns the news of an item. Person and application have a clock each: an event about one without its own time hides
 * no earlier change of the other.
 *
 * @param before the existing candidate, if any
 */
export function newsOf(item: CandidateItem, record: AtsRecordRow | undefined, before: CandidateRow | undefined): News {
  const { candidate } = item;
  const times = { changedAt: item.changedAt, personAt: personAt(item) };
  if (record === undefined || before === undefined) return { candidate, ...times };
  const lastPerson = record.person_at ?? record.changed_at;
  const known = { id: applicationOf(before), status: before.ats_status };
  const isOther = isActiveOther(candidate, known);
  const tellsStanding =
    tellsApplication(candidate) && (isOther || item.changedAt >= record.changed_at) && !isBeside(candidate, known);
  const tellsPerson = times.personAt >= lastPerson;
  const said = tellsStanding ? candidate : personAlone(candidate);
  return {
    candidate: tellsPerson
      ? said
      : { ...said, firstName: before.first_name, lastName: before.last_name, email: before.email },
    changedAt: tellsStanding ? item.changedAt : record.changed_at,
    personAt: tellsPerson ? times.personAt : lastPerson,
  };
}

/** In one write an active application counts before an ended one, then the newer one, then the later one. */
export function newerOf(before: RecordItem | undefined, after: RecordItem): RecordItem {
  if (before === undefined) return after;
  if (before.kind === 'candidate' && after.kind === 'candidate') {
    const [first, second] = [before.candidate, after.candidate];
    if (isBeside(second, standingOf(first))) return before;
    if (isBeside(first, standingOf(second))) return after;
  }
  return after.changedAt < before.changedAt ? before : after;
}

function standingOf({ metadata, status }: AtsCandidate): { id: string | null; status: string | null } {
  return { id: metadata?.['application_id'] ?? null, status: status ?? null };
}

/** An active application comes before an ended one, in each order of their events. */
function isActiveOther(candidate: AtsCandidate, known: { id: string | null; status: string | null }): boolean {
  const own = candidate.metadata?.['application_id'] ?? null;
  const hasEnded = known.status !== null && known.status !== 'active';
  return candidate.status === 'active' && hasEnded && own !== null && known.id !== null && own !== known.id;
}

function applicationOf({ metadata }: CandidateRow): string | null {
  const { application_id: id } = JSON.parse(metadata) as Record<string, unknown>;
  return typeof id === 'string' ? id : null;
}
