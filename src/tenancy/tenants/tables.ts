/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = [
  'tenants',
  'tenant_addresses',
  'api_keys',
  'roles',
  'audit_entries',
  'installation_audit',
  'tenant_storage',
];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['tenants', 'roles', 'api_keys', 'tenant_storage'];
