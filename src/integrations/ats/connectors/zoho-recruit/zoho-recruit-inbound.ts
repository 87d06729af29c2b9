import { randomInt } from 'node:crypto';
import { AtsFailure, type AtsApi } from '../../api/ats-api.js';
import {
  type AtsCandidate,
  NotUnderstood,
  type InboundEffect,
  type InboundReading,
  type InboundRequest,
  type InboundRules,
  type SignatureVerdict,
  type AtsRecordKind,
  tokenVerdictOf,
  type MadeWebhook,
  type WebhookRules,
} from '../connector.js';
import {
  textOf,
  timeOf,
  type RemoteObject,
  splitName,
  listOf,
  objectOf,
  requiredText,
  idOf,
  objectsIn,
} from '../remote-json.js';
import { timeText } from './zoho-recruit-calls.js';
import { openingName, recordIdOf, zohoStatus } from './zoho-recruit.mapping.js';

const METADATA = ['ats_priority', 'ats_source', 'referrer', 'application_id'];

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
 * Returns the candidate of a form that a workflow rule sends. The customer names its fields: `candidate_id` is the
 * record id of Zoho; case, blanks and underscores of a name do not count.
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
  // The time makes the data of the opening itself newer in any case.
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

/** The most records of a notification that are taken; the poll brings the others. */
const MOST_RECORDS = 200;

const KINDS: Readonly<Record<string, AtsRecordKind>> = {
  Candidates: 'candidate',
  Job_Openings: 'job',
  JobOpenings: 'job',
};

const OPERATIONS = new Set(['insert', 'update', 'edit', 'create', 'delete']);

/**
 * Webhooks of Zoho, of two kinds: notifications, which name records and hold the token of their channel, and forms of
 * workflow rules, whose fields the customer chooses. Neither is signed: where a secret is set, `token` in the body
 * must equal it.
 */
export const zohoRecruitInbound: InboundRules = {
  ack: 200,

  // A workflow rule is set up by hand, and knows no token of a channel.
  isSetByHand({ body }: InboundRequest): boolean {
    const event = objectOf(body);
    return event !== null && textOf(event['module']) === null;
  },

  verify({ body }: InboundRequest, secrets: readonly string[]): SignatureVerdict {
    const token = objectOf(body)?.['token'];
    return typeof token === 'string' && token !== '' ? tokenVerdictOf(token, secrets) : 'absent';
  },

  parts(body: unknown): readonly unknown[] {
    const event = objectOf(body);
    const ids = listOf(event?.['ids']);
    return ids.length < 2 || ids.length > MOST_RECORDS ? [body] : ids.map((id) => ({ ...event, ids: [id] }));
  },

  read({ body, receivedAt }: InboundRequest): InboundReading {
    const event = objectOf(body);
    if (event === null) throw new NotUnderstood('The body is no object.');
    return textOf(event['module']) === null ? ofForm(event) : ofNotification(event, receivedAt);
  },
};

function ofNotification(event: RemoteObject, receivedAt: Date): InboundReading {
  const module = requiredText(event['module'], 'The module');
  const operation = requiredText(event['operation'], 'The operation').toLowerCase();
  if (!OPERATIONS.has(operation)) throw new NotUnderstood('The operation is not one of those that Zoho documents.');
  const ids = listOf(event['ids']);
  if (ids.length > MOST_RECORDS) {
    throw new NotUnderstood(`The notification names more than ${MOST_RECORDS} records: the poll brings them.`);
  }
  const remoteId = recordIdOf(ids[0]);
  if (remoteId === null) throw new NotUnderstood('The notification names no record.');
  // Without a time a further edit looks like a repetition of the former one, and the record is read once more.
  const parts = [event['channel_id'], module, operation, remoteId, event['server_time'] ?? receivedAt.toISOString()];
  return {
    dedupeKey: parts.map(String).join(' '),
    name: `${module}.${operation}`,
    occurredAt: timeOf(event['server_time']),
    effect: effectOf(KINDS[module], operation, remoteId),
  };
}

/** A notification names a record without its data. */
function effectOf(kind: AtsRecordKind | undefined, operation: string, remoteId: string): InboundEffect {
  if (kind === undefined) return { kind: 'none' };
  if (operation !== 'delete') return { kind: 'read_back', of: kind, remoteId };
  return { kind: 'gone', gone: { kind, remoteId, at: null, survivorId: null } };
}

function ofForm(form: RemoteObject): InboundReading {
  const candidate = candidateOfForm(form);
  return {
    dedupeKey: null,
    name: 'workflow',
    occurredAt: candidate.changedAt,
    effect: { kind: 'candidate', candidate },
  };
}

const PATH = '/actions/watch';

/** A channel lives at most a day. */
const LIFE_MS = 23 * 3_600_000;

/** Channels of the notification API, one for each module. Zoho sends our secret back in the body. */
export const zohoRecruitWebhooks: WebhookRules = {
  events: ['Candidates.all', 'Job_Openings.all'],
  renewEveryMs: 6 * 3_600_000,

  async create(api: AtsApi, event: string, url: string, secret: string): Promise<MadeWebhook> {
    const remoteId = String(randomInt(1e12, 1e13 - 1));
    await api.call({ method: 'POST', path: PATH, json: watch(remoteId, event, { token: secret, notify_url: url }) });
    return { remoteId, event, secret };
  },

  async renew(api: AtsApi, remoteId: string, event: string): Promise<boolean> {
    try {
      await api.call({ method: 'PATCH', path: PATH, json: watch(remoteId, event) });
      return true;
    } catch (error) {
      if (isUnknown(error)) return false;
      throw error;
    }
  },

  async list(api: AtsApi): Promise<{ remoteId: string; url: string }[]> {
    const { json } = await api.call({ method: 'GET', path: PATH });
    return objectsIn(objectOf(json)?.['watch']).flatMap(({ channel_id: id, notify_url: url }) => {
      const remoteId = idOf(id);
      return remoteId === null || typeof url !== 'string' ? [] : { remoteId, url };
    });
  },

  async remove(api: AtsApi, remoteId: string): Promise<void> {
    try {
      await api.call({ method: 'DELETE', path: PATH, query: { channel_ids: remoteId } });
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
  },
};

function watch(channelId: string, event: string, more: object = {}): object {
  const expiry = timeText(new Date(Date.now() + LIFE_MS));
  return { watch: [{ channel_id: channelId, events: [event], channel_expiry: expiry, ...more }] };
}

/** A channel that has ended is refused with a code that differs by version. */
function isUnknown(error: unknown): boolean {
  return error instanceof AtsFailure && (error.kind === 'not_found' || error.kind === 'rejected');
}
