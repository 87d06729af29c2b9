import type { ShownClientBody } from '../../../src/directory-sync/clients/clients.dto.js';
import type { ScimTokenBody } from '../../../src/directory-sync/directories/directories.dto.js';
import type { Json } from '../../api/client.js';

/** A credential of a directory: a SCIM token, a client, or a secret of a client. */
export interface CredentialRow {
  id: string;
  kind: 'token' | 'client_secret' | Json<ShownClientBody>['kind'];
  name: string;
  /** What is seen of a token or secret; the id of a client. */
  shown: string;
  lastUsed: string | null;
  /** Requests of the last day; null: they are counted with the client. */
  requests: number | null;
  dialect: string | null;
  /** When it ends or has ended; null: it does not end. */
  ends: string | null;
  isOver: boolean;
  /** The operation that ends it, below the directory. */
  path: string;
}

/** Returns when a credential ends, and whether it has: by hand, by its time, or with its client. */
function endOf(
  { revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null },
  now: number,
  over: string | null = null,
): Pick<CredentialRow, 'ends' | 'isOver'> {
  const [end] = [revoked_at, over, expires_at].filter((time) => time !== null).sort();
  return { ends: end ?? null, isOver: end !== undefined && Date.parse(end) <= now };
}

function rowOf(token: Json<ScimTokenBody>, now: number): CredentialRow {
  const { id, name, prefix, last_used_at: lastUsed, requests_last_day: requests, dialect } = token;
  return {
    ...{ id, kind: 'token', name, shown: `${prefix}…`, lastUsed, requests, dialect },
    ...endOf(token, now),
    path: `/tokens/${id}`,
  };
}

function rowsOf(client: Json<ShownClientBody>, now: number): CredentialRow[] {
  const { id, kind, name, last_used_at: lastUsed, requests_last_day: requests, dialect, secrets, revoked_at } = client;
  const path = `/clients/${id}`;
  const title = name ?? '';
  const secretRows = secrets.map((secret): CredentialRow => {
    const shown = { name: title, shown: `${secret.prefix}…`, lastUsed: secret.last_used_at };
    const end = endOf(secret, now, revoked_at);
    const of = { id: secret.id, kind: 'client_secret', path: `${path}/secrets/${secret.id}` } as const;
    return { ...of, ...shown, requests: null, dialect: null, ...end };
  });
  const end = endOf({ revoked_at, expires_at: null }, now);
  return [{ ...{ id, kind, name: title, shown: id, lastUsed, requests, dialect }, ...end, path }, ...secretRows];
}

/** Returns the credentials of a directory, each secret after its client; those that have ended come last. */
export function credentialRows(
  clients: readonly Json<ShownClientBody>[],
  tokens: readonly Json<ScimTokenBody>[],
  now: number,
): CredentialRow[] {
  const rows = [...clients.flatMap((client) => rowsOf(client, now)), ...tokens.map((token) => rowOf(token, now))];
  return [...rows.filter(({ isOver }) => !isOver), ...rows.filter(({ isOver }) => isOver)];
}
