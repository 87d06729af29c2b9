import {
  NotUnderstood,
  type InboundEffect,
  type InboundReading,
  type InboundRequest,
  type InboundRules,
  type SignatureVerdict,
  hmacVerdictOf,
} from '../connector.js';
import { idOf, objectOf, requiredId, textOf, timeOf, type RemoteObject } from '../remote-json.js';
import { ashbyCandidateOfApplication, ashbyGoesOn, ashbyJob } from './ashby.mapping.js';

/** Events of records that are not taken from Ashby. */
const OF_OTHERS =
  /^(interview|jobPosting|offer|opening|survey|signatureRequest|pushToHRIS|projectCandidate|department|location|jobRequisition)/;

export const ashbyInbound: InboundRules = {
  ack: 200,

  verify({ raw, headers }: InboundRequest, secrets: readonly string[]): SignatureVerdict {
    const given = headers['ashby-signature'];
    if (given === undefined || given === '') return 'absent';
    return given.startsWith('sha256=') ? hmacVerdictOf(given.slice('sha256='.length), raw, secrets) : 'invalid';
  },

  read({ body }: InboundRequest): InboundReading {
    const event = objectOf(body);
    const name = textOf(event?.['action']);
    if (event === null || name === null) throw new NotUnderstood('The body names no action.');
    const data = objectOf(event['data']) ?? {};
    const effect = effectOf(name, data);
    const application = objectOf(data['application']);
    const changed = timeOf(application?.['updatedAt']) ?? timeOf(objectOf(data['job'])?.['updatedAt']);
    return { dedupeKey: dedupeKeyOf(event, name, effect), name, occurredAt: changed, effect };
  },
};

function effectOf(name: string, data: RemoteObject): InboundEffect {
  if (name === 'ping' || OF_OTHERS.test(name)) return { kind: 'none' };
  if (name === 'candidateDelete') return gone(objectOf(data['candidate'])?.['id'], null);
  if (name === 'candidateMerge') {
    const survivor = requiredId(objectOf(data['mergedCandidate'])?.['id'], 'The id of the merged candidate');
    return gone(objectOf(data['deletedCandidate'])?.['id'], survivor);
  }
  const job = objectOf(data['job']);
  if (name.startsWith('job') && job !== null) return { kind: 'job', job: ashbyJob(job) };
  const application = objectOf(data['application']);
  if (application !== null) return ofApplication(application);
  const candidate = objectOf(data['candidate']);
  if (candidate !== null) {
    return { kind: 'read_back', of: 'candidate', remoteId: requiredId(candidate['id'], 'The id of the candidate') };
  }
  throw new NotUnderstood('The event names neither an application, nor a candidate, nor a job.');
}

/** An ended application is no evidence about the candidate's others, which may be active. */
function ofApplication(application: RemoteObject): InboundEffect {
  const candidate = ashbyCandidateOfApplication(application);
  return { kind: 'candidate', candidate: ashbyGoesOn(application) ? candidate : { ...candidate, changedAt: null } };
}

function gone(id: unknown, survivorId: string | null): InboundEffect {
  const remoteId = requiredId(id, 'The id of the candidate');
  if (remoteId === survivorId) throw new NotUnderstood('The candidate is merged into itself.');
  return { kind: 'gone', gone: { kind: 'candidate', remoteId, at: null, survivorId } };
}

/** The webhooks of one cause share an id, so the action and the record belong to the name of the event. */
function dedupeKeyOf(event: RemoteObject, name: string, effect: InboundEffect): string | null {
  const cause = textOf(event['webhookActionId']);
  if (cause === null) return null;
  const application = idOf(objectOf(objectOf(event['data'])?.['application'])?.['id']);
  return [cause, name, application ?? recordOf(effect)].filter((part) => part !== '').join(' ');
}

function recordOf(effect: InboundEffect): string {
  switch (effect.kind) {
    case 'none':
      return '';
    case 'read_back':
      return effect.remoteId;
    case 'candidate':
      return effect.candidate.remoteId;
    case 'job':
      return effect.job.remoteId;
    case 'gone':
      return effect.gone.remoteId;
  }
}
