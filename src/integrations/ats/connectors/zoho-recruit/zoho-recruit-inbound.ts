import {
  NotUnderstood,
  type InboundEffect,
  type InboundReading,
  type InboundRequest,
  type InboundRules,
  type SignatureVerdict,
} from '../connector.js';
import type { AtsRecordKind } from '../ats-records.js';
import { listOf, objectOf, requiredText, textOf, timeOf, type RemoteObject } from '../remote-json.js';
import { tokenVerdictOf } from '../signatures.js';
import { candidateOfForm } from './zoho-recruit-form.mapping.js';
import { recordIdOf } from './zoho-recruit.mapping.js';

/** The records of a notification that are taken; the poll brings those of a larger one. */
const MOST_RECORDS = 200;

const KINDS: Readonly<Record<string, AtsRecordKind>> = {
  Candidates: 'candidate',
  Job_Openings: 'job',
  JobOpenings: 'job',
};

const OPERATIONS = new Set(['insert', 'update', 'edit', 'create', 'delete']);

/**
 * Webhooks of Zoho. There are two: notifications, which name records and hold the token of their channel, and webhooks of
 * workflow rules, forms whose fields the customer chooses. Neither is signed: where a secret is set, `token` in the body
 * has to be it.
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
  // Without a time a further edit looks like a repetition of the one before, and the record is read once more.
  const parts = [event['channel_id'], module, operation, remoteId, event['server_time'] ?? receivedAt.toISOString()];
  return {
    dedupeKey: parts.map(String).join(' '),
    name: `${module}.${operation}`,
    occurredAt: timeOf(event['server_time']),
    effect: effectOf(KINDS[module], operation, remoteId),
  };
}

/** A notification names a record, and holds nothing of it. */
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
