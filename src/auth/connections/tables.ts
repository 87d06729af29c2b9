/** The tables that only this room writes. `npm run check` reads it. */
export const OWNED = [
  'connections',
  'connection_slugs',
  'saml_entity_ids',
  'domains',
  'verified_domains',
  'service_keys',
];

/** Of these, the ones that statements of rooms above may read, by tenant. */
export const READABLE = ['connections', 'domains', 'verified_domains'];
