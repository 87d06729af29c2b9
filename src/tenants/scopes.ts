/** What an API key may be allowed to do; `admin` holds all of it and is needed for everything that has no other. */
export const SCOPES = [
  'users:read',
  'users:write',
  'candidates:read',
  'candidates:write',
  'jobs:read',
  'jobs:write',
  'interviews:read',
  'interviews:write',
  'seats:read',
  'seats:write',
  'webhooks:manage',
  'audit:read',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];
