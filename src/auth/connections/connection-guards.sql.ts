import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { ownedDomain } from './domains/domains.store.js';

/**
 * Holds a connection until the commit of a statement.
 *
 * @returns the part that finds the `id` of the connection, or no row when the connection has changed since `version`
 */
export function holdConnection(
  statement: WriteStatement,
  { tenantId, id, version }: { tenantId: string; id: string; version: number },
): Part {
  return statement.given(
    (p) => `select c.id from connections c
        where c.tenant_id = ${p.add(tenantId)} and c.id = ${p.add(id)} and c.version = ${p.add(version, 'int')}
          and c.enabled and c.deleted_at is null for share`,
  );
}

/**
 * Holds a verified domain until the commit of a statement.
 *
 * @returns the part that finds a row while the domain counts for the connection
 */
export function holdDomain(
  statement: WriteStatement,
  domain: string,
  { tenantId, id }: { tenantId: string; id: string },
): Part {
  return statement.given((p) => ownedDomain(p.add(tenantId), p.add(domain), p.add(id)));
}
