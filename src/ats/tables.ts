/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = [
  'ats_connections',
  'ats_problems',
  'ats_tokens',
  'ats_signing_secrets',
  'ats_connect_links',
  'ats_authorizations',
  'ats_renewals',
];
