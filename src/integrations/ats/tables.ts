/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = [
  'ats_connections',
  'ats_problems',
  'ats_tokens',
  'ats_token_hashes',
  'ats_signing_secrets',
  'ats_paces',
  'ats_connect_links',
  'ats_authorizations',
  'ats_renewals',
  'ats_events',
  'ats_event_keys',
  'ats_open_events',
  'ats_records',
  'ats_syncs',
  'ats_polls',
  'ats_runs',
  'ats_writes',
];

/** The tables of this room that statements of upper rooms may read, by tenant. */
export const READABLE = ['ats_connections', 'ats_syncs'];
