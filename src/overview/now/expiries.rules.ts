import type { OverviewBody } from './overview.dto.js';

/** Returns what ends first. The ends of credentials are texts of the database, those of certificates are times. */
export function nearest(expiries: OverviewBody['expiries'], most: number): OverviewBody['expiries'] {
  return expiries
    .map((one) => ({ ...one, expires_at: new Date(one.expires_at) }))
    .sort((a, b) => a.expires_at.getTime() - b.expires_at.getTime())
    .slice(0, most);
}
