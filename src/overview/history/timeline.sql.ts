import { attemptsOfSubject } from '../../engine/delivery/attempts.js';
import { PLATFORM } from '../../forwarding/connections.js';
import { SHOWN } from '../requests/requests.repository.js';
import { ENTRY_KINDS, type EntryKind, type Order } from './entry.mapping.js';

/** The table of the entries of one kind. All of it is constant SQL; values of the caller are parameters. */
interface Source {
  from: string;
  ofPerson: string;
  at: string;
  key: string;
  id: string;
  /** The fields of an entry, by name. They never include hashes, tokens and data of an IdP for single logout. */
  fields: Record<string, string>;
}

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
// As wide as a bigint, so that the order of the texts is that of the numbers.
const padded = (number: string): string => `lpad((${number})::text, 19, '0')`;
const connectionOf = (alias: string): string =>
  `left join connections n on n.tenant_id = ${alias}.tenant_id and n.id = ${alias}.connection_id`;

// The former change has the former values.
const BEFORE = `(select b.person || jsonb_build_object('status', b.status) from changes b
  where b.tenant_id = $1 and b.user_id = $2 and b.sequence < c.sequence order by b.sequence desc limit 1)`;

const DELIVERIES = attemptsOfSubject(PLATFORM);

const SOURCES: Record<EntryKind, Source> = {
  binding: {
    from: `identities i ${connectionOf('i')}`,
    ofPerson: 'i.tenant_id = $1 and i.user_id = $2',
    at: 'i.created_at',
    key: `i.connection_id || '_' || md5(i.subject)`,
    id: `i.connection_id || '_' || md5(i.subject)`,
    fields: {
      connection_id: 'i.connection_id',
      connection: 'n.name',
      subject: 'i.subject',
      made_by: 'i.made_by',
      made_of: 'i.made_of',
      created_at: time('i.created_at'),
      ended_at: time('i.ended_at'),
      end_reason: 'i.end_reason',
    },
  },
  session: {
    from: `sessions s ${connectionOf('s')}`,
    ofPerson: 's.tenant_id = $1 and s.user_id = $2',
    at: 's.created_at',
    key: 's.id',
    id: 's.id',
    fields: {
      connection_id: 's.connection_id',
      connection: 'n.name',
      ip: 's.ip',
      user_agent: 's.user_agent',
      began_at: time('s.created_at'),
      ended_at: time('s.ended_at'),
      end_reason: 's.end_reason',
    },
  },
  sign_in: {
    from: `sign_ins g ${connectionOf('g')}`,
    ofPerson: 'g.tenant_id = $1 and g.user_id = $2',
    at: 'g.at',
    key: 'g.id',
    id: 'g.id',
    fields: {
      event: 'g.kind',
      outcome: 'g.outcome',
      reason: 'g.reason',
      detail: 'g.detail',
      account: 'g.account',
      connection_id: 'g.connection_id',
      connection: 'n.name',
      linked_by: 'g.linked_by',
      session_id: 'g.session_id',
      ip: 'g.ip',
      support_id: 'g.id',
      request_id: 'g.request_id',
    },
  },
  // Reads change nothing about a user; the log of requests has them.
  request: {
    from: 'requests r',
    ofPerson: `r.tenant_id = $1 and r.user_id = $2 and r.method not in ('GET', 'HEAD')`,
    at: 'r.at',
    key: 'r.id',
    id: 'r.id',
    fields: {
      request_id: `split_part(r.id, '.', 1)`,
      method: 'r.method',
      path: SHOWN.path,
      status: 'r.status',
      outcome: 'r.outcome',
      held: 'r.held',
      linked_by: 'r.linked_by',
      code: 'r.code',
      scim_type: 'r.scim_type',
      detail: 'r.detail',
      directory_id: SHOWN.directory_id,
      credential_id: SHOWN.credential_id,
      duration_ms: 'r.duration_ms',
    },
  },
  linked: notesOf('linked', {
    by: `n.detail -> 'by'`,
    directory_id: `n.detail -> 'directory_id'`,
    from_directory_id: `n.detail -> 'from_directory_id'`,
    source: 'n.source',
  }),
  held: notesOf('held', {
    event: `n.detail -> 'event'`,
    reason: `n.detail -> 'reason'`,
    held_at: `n.detail -> 'held_at'`,
    user_name: `n.detail -> 'user_name'`,
    source: 'n.source',
  }),
  change: {
    from: 'changes c',
    ofPerson: 'c.tenant_id = $1 and c.user_id = $2',
    at: 'c.occurred_at',
    key: padded('c.sequence'),
    id: `'chg_' || c.sequence`,
    fields: {
      sequence: 'c.sequence',
      event: 'c.kind',
      changed: 'c.changed',
      user: 'c.person',
      status: 'c.status',
      before: BEFORE,
      source: 'c.source',
      cause: 'c.cause',
      received_at: time('c.received_at'),
      occurred_at: time('c.occurred_at'),
      sessions_ended_at: time('c.sessions_ended_at'),
      forwarded: 'c.forwarded',
      dismissed: 'c.dismissed',
    },
  },
  seat: {
    from: 'seat_entries e',
    ofPerson: 'e.tenant_id = $1 and e.user_id = $2',
    at: 'e.occurred_at',
    key: padded('e.entry_id'),
    id: `'seat_' || e.entry_id`,
    fields: {
      event: 'e.kind',
      delta: 'e.delta',
      role: 'e.role',
      reason: 'e.reason',
      source: 'e.source',
      occurred_at: time('e.occurred_at'),
      sequence: 'e.sequence',
    },
  },
  // A delivery has the moment at which its outcome was stored. With the moment of sending, an entry would appear in a
  // part of the list that was read before.
  delivery: {
    from: DELIVERIES.from,
    ofPerson: DELIVERIES.where,
    at: 'd.at',
    key: `${padded('d.last_sequence')} || '_' || lpad(d.n::text, 5, '0')`,
    id: `d.delivery_id || '_' || d.last_sequence || '_' || (extract(epoch from d.at) * 1000000)::bigint || '_' || d.n`,
    fields: {
      delivery_id: 'd.delivery_id',
      first_sequence: 'd.first_sequence',
      last_sequence: 'd.last_sequence',
      method: 'd.method',
      path: 'd.path',
      status: 'd.status',
      outcome: 'd.outcome',
      detail: 'd.detail',
      answer: 'd.answer',
      sent_at: time('d.sent_at'),
      duration_ms: 'd.duration_ms',
    },
  },
  audit: {
    from: 'audit_entries a',
    ofPerson: `a.tenant_id = $1 and a.target_type = 'user' and a.target_id = $2`,
    at: 'a.at',
    key: padded('a.entry_id'),
    id: `'audit_' || a.entry_id`,
    fields: {
      audit_id: 'a.entry_id',
      event: 'a.action',
      actor: 'a.actor',
      before: 'a.before',
      after: 'a.after',
      request_id: 'a.request_id',
    },
  },
  removed: {
    from: 'deleted_users r',
    ofPerson: 'r.tenant_id = $1 and r.id = $2',
    at: 'r.deleted_at',
    key: 'r.id',
    id: `'removed_' || r.id`,
    fields: {
      user_name: 'r.user_name',
      external_id: 'r.external_id',
      user: 'r.person',
      directory_id: 'r.directory_id',
      source: 'r.deleted_by',
    },
  },
};

function notesOf(kind: 'linked' | 'held', fields: Source['fields']): Source {
  return {
    from: 'user_notes n',
    ofPerson: `n.tenant_id = $1 and n.user_id = $2 and n.kind = '${kind}'`,
    at: 'n.at',
    key: padded('n.note_id'),
    id: `'${kind}_' || n.note_id`,
    fields,
  };
}

/**
 * Returns the statement of one page of a history. Each kind is read from its own table by its own index, no further
 * than the page, and all of it in one snapshot. Parameters: tenant, user, since, until, the moment of the position, the
 * count; then, for each kind in the given order, the bound of its keys.
 */
export function timelineSql(kinds: readonly EntryKind[], order: Order): string {
  const [beyond, way] = order === 'desc' ? ['<', 'desc'] : ['>', 'asc'];
  const branches = kinds.map((kind, place) => {
    const { from, ofPerson, at, key, id, fields } = SOURCES[kind];
    const named = Object.entries(fields).map(([name, column]) => `'${name}', ${column}`);
    return `(select ${ENTRY_KINDS.indexOf(kind)} as rank, '${kind}' as kind, ${at} as at, (${key}) collate "C" as key, ${id} as id,
        jsonb_build_object(${named.join(', ')}) as fields
      from ${from}
      where ${ofPerson} and ${at} >= $3::timestamptz and ${at} < $4::timestamptz and ${at} ${beyond}= $5::timestamptz
        and (${at} ${beyond} $5::timestamptz or (${key}) collate "C" ${beyond} $${7 + place}::text)
      order by ${at} ${way}, (${key}) collate "C" ${way} limit $6::int)`;
  });
  return `select t.kind, to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, t.key, t.id, t.fields
    from (${branches.join(' union all ')}) t
    order by t.at ${way}, t.rank ${way}, t.key collate "C" ${way} limit $6::int`;
}
