import { count, kinds, object } from './kind.js';

const figures = object({ limit_bytes: count, used_bytes: count });

/** The events about the storage of a tenant. */
export const STORAGE_EVENTS = kinds({
  'storage.approaching': {
    severity: 'warning',
    runbook: 'Delete what is not needed, or have the operator raise the limit: eight tenths of the storage are in use.',
    schema: figures,
    example: { limit_bytes: 21_474_836_480, used_bytes: 17_179_869_184 },
  },
  'storage.exhausted': {
    severity: 'critical',
    runbook:
      'Delete what is not needed, or have the operator raise the limit: requests that add data are refused, departures and deletions pass.',
    schema: figures,
    example: { limit_bytes: 21_474_836_480, used_bytes: 21_474_836_480 },
  },
});
