import type { LookupOwner } from './name-lookups.js';

/** One call to an external server. The body is sent unchanged. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Scheme, host and port. */
  origin: string;
  /** Path and query. */
  path: string;
  /** The tenant that configured the address; null: the operator did. The name look-up counts for this tenant. */
  owner: LookupOwner;
  headers: Record<string, string>;
  body?: string;
  /** One deadline for connecting, headers and body. */
  timeoutMs: number;
  /** The most bytes of the answer; a longer one is cut and marked. Default 64 KiB. */
  maxBytes?: number;
  /** Once the status has arrived it is the answer: a body that breaks off or does not end is cut and marked. */
  statusDecides?: boolean;
  /** The answer names the IP address that was dialled. */
  notesAddress?: boolean;
  /** Further headers that the answer keeps, by lower-case name. */
  keptHeaders?: readonly string[];
}

/** The reason of a missing answer. `blocked`: this service refused to connect to the address. */
export type OutboundFailure = 'timeout' | 'refused' | 'reset' | 'dns' | 'tls' | 'blocked';

/** The result of a call. A status is never an exception. `address`: the IP address that was dialled, if it is asked for and known. */
export type OutboundAnswer =
  | {
      kind: 'answer';
      status: number;
      contentType: string;
      retryAfter: string | null;
      location: string | null;
      body: string;
      truncated: boolean;
      ms: number;
      address: string | null;
      /** The headers of `keptHeaders` that the answer has. */
      kept?: Readonly<Record<string, string>>;
    }
  | { kind: 'failed'; reason: OutboundFailure; detail: string; ms: number; address: string | null };

/** An address that this service does not connect to for a tenant. */
export class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}
