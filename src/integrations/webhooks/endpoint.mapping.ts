import type { EventName } from '../../engine/events/catalogue.js';
import type { Actor } from '../../tenancy/identity/person.js';
import type { Endpoint, Form } from './endpoint.js';

/** An endpoint as it is stored, with its sealed secrets, newest first. */
export interface EndpointRow {
  tenant_id: string;
  id: string;
  url: string;
  description: string | null;
  events: EventName[] | null;
  form: Form;
  ordered: boolean;
  headers_sealed: string | null;
  created_by: Actor;
  key_id: string | null;
  created_at: Date;
  updated_at: Date;
  secrets: { sealed: string; expires_at: string | null }[] | null;
}

/** A secret of an endpoint. Null: no key of the settings opens it. */
export interface StoredSecret {
  secret: string | null;
  /** Milliseconds since 1970; null: it lasts. */
  expiresAt: number | null;
}

/**
 * Returns an endpoint with the secrets that are live at `now`.
 *
 * @param headers null: no key of the settings opens them
 */
export function endpointOf(
  row: EndpointRow,
  headers: Record<string, string> | null,
  secrets: readonly StoredSecret[],
  now: number,
): Endpoint {
  const live = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const readable = headers !== null && live.length > 0 && live.every(({ secret }) => secret !== null);
  return {
    tenantId: row.tenant_id,
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    form: row.form,
    ordered: row.ordered,
    headers: headers ?? {},
    secrets: readable ? live.map(({ secret }) => secret!) : [],
    unreadable: !readable,
    createdBy: row.created_by,
    keyId: row.key_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
