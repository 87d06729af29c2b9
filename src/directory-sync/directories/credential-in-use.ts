import { ApiFilter } from '../../base/http/api-answers.js';
import { DomainError } from '../../base/errors/domain-error.js';
import { queryChoice, queryOptions, type Query } from '../../base/http/query.js';

const DAY_MS = 86_400_000;

/** A credential that was used a short time ago is not ended without `force`: its IdP would meet 401 from then on. */
class CredentialInUse extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'credential_in_use';
  constructor(lastUsedAt: Date) {
    super(
      `The credential was last used at ${lastUsedAt.toISOString()}, within the last 24 hours. Give the IdP another credential first, or repeat the request with force=true.`,
      { members: { last_used_at: lastUsedAt.toISOString() } },
    );
  }
}

/**
 * Makes sure that the end of a credential refuses no request of an IdP.
 *
 * @param force the caller ends it nevertheless
 * @throws {CredentialInUse} when it was used in the last 24 hours
 */
export function demandUnused(lastUsedAt: Date | null, now: Date, force: boolean): void {
  if (force || lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= DAY_MS) return;
  throw new CredentialInUse(lastUsedAt);
}

/** Describes the option `force` of a route that ends credentials. */
export const FORCE_OPTION = ApiFilter('force', '`true`: also a credential that was used in the last 24 hours.', {
  enum: ['true', 'false'],
});

/** Reads the option `force`. */
export function isForced(query: Query): boolean {
  return queryChoice('force', queryOptions(query, ['force']).force, ['true', 'false']) === 'true';
}
