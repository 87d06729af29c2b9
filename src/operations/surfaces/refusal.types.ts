import type { ErrorExtras, ErrorKind } from '../../base/errors/domain-error.js';

/** A failure, before a surface writes it as a SCIM error, a problem or a page. */
export interface Refusal {
  kind: ErrorKind | 'internal';
  code: string;
  detail: string;
  extras: ErrorExtras;
  /** The HTTP status, where the protocol decides it. */
  status?: number;
}
