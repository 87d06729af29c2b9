/** The address and the credential of a tenant's platform. */
export interface PlatformConnection {
  /** Without a slash at the end. */
  baseUrl: string;
  key: string | null;
  paths: { users: string; resolve: string };
  /** The tenant that configured the address; null: the operator did. */
  owner: string | null;
  /** The operator chose the address, or allows private ones: it may be private, and plain http. */
  trusted: boolean;
}

/** One request to the users API. The body is text, because a repetition must have the same bytes. */
export interface PlatformRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, without a query. */
  path: string;
  query?: Record<string, string>;
  body?: string;
  /** The name of the call, the same for all repetitions. */
  idempotencyKey?: string;
  timeoutMs: number;
  maxBytes?: number;
  /** Headers that the answer keeps, by lower-case name. */
  keptHeaders?: readonly string[];
}

/** A user as the platform returns it. Every field can be missing, since it comes from another system. */
export interface PlatformUser {
  id: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  role: string | null;
  external_id: string | null;
  status: string | null;
}
