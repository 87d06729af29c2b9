import type { ParsedToken } from '../../base/crypto/tokens.js';
import type { SqlRunner } from '../../base/database/database.js';
import { nameOfToken } from './credential-lookups.js';

interface CredentialRow {
  id: string;
  name: string;
  expires_at: Date | null;
  revoked_at: Date | null;
}

/** An API key as it is stored. */
export type ApiKeyRow = CredentialRow & { scopes: string[] };

/** A stored SCIM token, or only the fact that its tenant exists. */
export type ScimTokenRow = CredentialRow & { directory_id: string };

// A personal key needs an active user: a key made in the moment of the user's deactivation is not valid.
const KEYS = `select k.id, k.name, k.expires_at, k.revoked_at, k.scopes from api_keys k
  where k.tenant_id = $T and k.hash = $H and (k.owner_kind = 'service' or exists (
    select 1 from users u where u.tenant_id = $T and u.id = k.owner_user_id and u.status = 'active'))`;
const TOKENS = `select id, name, expires_at, revoked_at, directory_id from scim_tokens
  where tenant_id = $T and hash = $H`;

const ofOne = (sql: string): string => sql.replaceAll('$T', '$1').replaceAll('$H', '$2');
// `limit 1` keeps each probe a look into the index, whatever the planner believes of the arrays.
const ofMany = (sql: string): string => `select t.tenant_id, t.hash, c.*
  from unnest($1::text[], $2::bytea[]) t (tenant_id, hash)
  cross join lateral (${sql.replaceAll('$T', 't.tenant_id').replaceAll('$H', 't.hash')} limit 1) c`;

const ONE_KEY = ofOne(KEYS);
const MANY_KEYS = ofMany(KEYS);
const ONE_TOKEN = ofOne(TOKENS);
const MANY_TOKENS = ofMany(TOKENS);

/** Reads the API key of a token. */
export async function readApiKey(db: SqlRunner, token: ParsedToken): Promise<ApiKeyRow | null> {
  return (await db.query<ApiKeyRow>(ONE_KEY, [token.tenantId, token.hash])).rows[0] ?? null;
}

/** Reads a SCIM token. */
export async function readScimToken(db: SqlRunner, token: ParsedToken): Promise<ScimTokenRow | null> {
  return (await db.query<ScimTokenRow>(ONE_TOKEN, [token.tenantId, token.hash])).rows[0] ?? null;
}

/** Reads the API keys of many tokens, of any tenants. */
export function readApiKeys(db: SqlRunner, tokens: readonly ParsedToken[]): Promise<Map<string, ApiKeyRow>> {
  return readMany<ApiKeyRow>(db, MANY_KEYS, tokens);
}

/** Reads many SCIM tokens, of any tenants. */
export function readScimTokens(db: SqlRunner, tokens: readonly ParsedToken[]): Promise<Map<string, ScimTokenRow>> {
  return readMany<ScimTokenRow>(db, MANY_TOKENS, tokens);
}

async function readMany<Row extends CredentialRow>(
  db: SqlRunner,
  sql: string,
  tokens: readonly ParsedToken[],
): Promise<Map<string, Row>> {
  const { rows } = await db.query<Row & { tenant_id: string; hash: Buffer }>(sql, [
    tokens.map(({ tenantId }) => tenantId),
    tokens.map(({ hash }) => hash),
  ]);
  return new Map(rows.map((row) => [nameOfToken(row.tenant_id, row.hash), row]));
}
