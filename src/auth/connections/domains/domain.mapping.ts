import { dnsRecord, domainStateOf } from './domain-check.rules.js';
import type { DomainBody } from './domains.dto.js';
import type { DomainRow } from './domains.repository.js';

/** Maps a domain to the API. */
export function domainShape(row: DomainRow): DomainBody {
  return {
    domain: row.domain,
    state: domainStateOf(row),
    connection_id: row.connection_id,
    dns_record: dnsRecord(row.domain, row.challenge),
    verified_by: row.verified_by,
    verified_at: row.verified_at,
    checked_at: row.checked_at,
    problem: row.problem,
    lost_at: row.lost_at,
    created_at: row.created_at,
  };
}
