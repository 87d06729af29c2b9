import {
  NotUnderstood,
  type InboundEffect,
  type InboundReading,
  type InboundRequest,
  type InboundRules,
  type SignatureVerdict,
  hmacVerdictOf,
} from '../connector.js';
import { idOf, listOf, objectOf, requiredId, textOf, type RemoteObject } from '../remote-json.js';
import {
  greenhouseCandidateOfApplication,
  candidateOfPerson,
  lastChangeOf,
  greenhouseGoesOn,
  greenhouseJob,
} from './greenhouse.mapping.js';

const PREFIX = 'sha256 ';

const OF_APPLICATIONS = new Set([
  'new_candidate_application',
  'new_prospect_application',
  'candidate_stage_change',
  'application_updated',
  'prospect_application_updated',
  'hire_candidate',
  'unhire_candidate',
  'reject_candidate',
  'unreject_candidate',
]);

/** Events of records that are not taken from Greenhouse. */
const OF_OTHERS = /^(offer|job_post|job_interview_stage|interview|scorecard|department|office|custom_field)(_|$)/;

/** Webhooks of Greenhouse: signed over the body. Greenhouse escapes `<`, `>` and `&` in it, so the bytes count. */
export const greenhouseInbound: InboundRules = {
  ack: 200,

  verify({ raw, headers }: InboundRequest, secrets: readonly string[]): SignatureVerdict {
    const given = headers['signature'];
    if (given === undefined || given === '') return 'absent';
    return given.startsWith(PREFIX) ? hmacVerdictOf(given.slice(PREFIX.length).trim(), raw, secrets) : 'invalid';
  },

  read({ body }: InboundRequest): InboundReading {
    const event = objectOf(body);
    const name = textOf(event?.['action']);
    if (event === null || name === null) throw new NotUnderstood('The body names no action.');
    const payload = objectOf(event['payload']) ?? {};
    const application = objectOf(payload['application']);
    return {
      // The header Greenhouse-Event-Id is not signed: with another id a body that was seen once would be applied again.
      dedupeKey: null,
      name,
      occurredAt: application === null ? null : lastChangeOf(application),
      effect: effectOf(name, payload),
    };
  },
};

function effectOf(name: string, payload: RemoteObject): InboundEffect {
  if (name === 'ping' || name === 'test' || OF_OTHERS.test(name)) return { kind: 'none' };
  if (OF_APPLICATIONS.has(name)) return ofApplication(objectOf(payload['application']));
  switch (name) {
    case 'update_candidate':
      return ofCandidate(objectOf(payload['candidate']));
    case 'delete_candidate':
    case 'merge_candidate':
      return ofRemoved(objectOf(payload['person']) ?? objectOf(payload['candidate']) ?? {}, name);
    case 'candidate_anonymized':
      return ofAnonymized(payload);
    case 'delete_application':
      return ofRemovedApplication(payload);
    case 'job_created':
    case 'job_updated':
    case 'job_approved':
      return { kind: 'job', job: greenhouseJob(objectOf(payload['job']) ?? payload) };
    case 'job_deleted': {
      const remoteId = requiredId(
        objectOf(payload['job'])?.['id'] ?? payload['job_id'] ?? payload['id'],
        'The id of the job',
      );
      return { kind: 'gone', gone: { kind: 'job', remoteId, at: null, survivorId: null } };
    }
    default:
      throw new NotUnderstood('The action is not one of those that Greenhouse documents.');
  }
}

/** An ended application is no evidence about the candidate's others, which may be active. */
function ofApplication(application: RemoteObject | null): InboundEffect {
  if (application === null) throw new NotUnderstood('The event has no application.');
  const candidate = greenhouseCandidateOfApplication(application);
  return {
    kind: 'candidate',
    candidate: greenhouseGoesOn(application) ? candidate : { ...candidate, changedAt: null },
  };
}

/** The event has no time: a repetition after fifteen hours would undo later changes. */
function ofCandidate(person: RemoteObject | null): InboundEffect {
  if (person === null) throw new NotUnderstood('The event has no candidate.');
  return { kind: 'candidate', candidate: candidateOfPerson(person) };
}

function ofRemoved(person: RemoteObject, name: string): InboundEffect {
  const remoteId = requiredId(person['id'], 'The id of the person');
  const survivorId =
    name === 'merge_candidate' ? requiredId(person['new_candidate_id'], 'The id of the survivor') : null;
  if (remoteId === survivorId) throw new NotUnderstood('The candidate is merged into itself.');
  return { kind: 'gone', gone: { kind: 'candidate', remoteId, at: null, survivorId } };
}

/** Without a name nothing of the person is left. Where other fields were cleared, the rest is read. */
function ofAnonymized(payload: RemoteObject): InboundEffect {
  const id = payload['candidate_id'] ?? objectOf(payload['person'])?.['id'] ?? objectOf(payload['candidate'])?.['id'];
  const remoteId = requiredId(id, 'The id of the candidate');
  const hasName = !listOf(payload['anonymized_fields']).some((field) => /^(full_|first_)?name$/.test(String(field)));
  if (hasName) return { kind: 'read_back', of: 'candidate', remoteId };
  return { kind: 'gone', gone: { kind: 'candidate', remoteId, at: null, survivorId: null } };
}

function ofRemovedApplication(payload: RemoteObject): InboundEffect {
  const application = objectOf(payload['application']) ?? payload;
  const person = objectOf(application['candidate']) ?? objectOf(payload['person']);
  const remoteId = idOf(person?.['id'] ?? application['candidate_id'] ?? application['person_id']);
  if (remoteId === null) throw new NotUnderstood('The event names no candidate.');
  return { kind: 'read_back', of: 'candidate', remoteId };
}
