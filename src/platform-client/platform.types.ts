/** Where and how the platform of one tenant is reached. */
export interface PlatformConnection {
  /** Without a slash at the end. */
  baseUrl: string;
  key: string | null;
  paths: { users: string; resolve: string };
  /** The tenant that named the address; null: the operator did. */
  owner: string | null;
  /** The operator chose the address, or allows private ones: it may be private, and plain http. */
  trusted: boolean;
}

/** One request to the users API. The body is text, because what was sent once must be sent again byte for byte. */
export interface PlatformRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, without a query. */
  path: string;
  query?: Record<string, string>;
  body?: string;
  /** The name of the call, the same over all its repetitions. */
  idempotencyKey?: string;
  timeoutMs: number;
  maxBytes?: number;
}

/** A user as the platform shows it; anything may be missing, since it is another system's word. */
export interface PlatformUser {
  id: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  role: string | null;
  external_id: string | null;
  status: string | null;
}
