export interface AtsRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string | readonly string[]>>;
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Statuses beside 2xx that the connector handles itself; others throw an {@link AtsFailure}. */
  accepts?: readonly number[];
}

/** The answer of an ATS: its body is JSON, or empty (204). Whole numbers of more than 15 digits are text. */
export interface AtsAnswer {
  status: number;
  /** Lower-case names: `link` and what a connector names in `keptHeaders`. */
  headers: Readonly<Record<string, string>>;
  json: unknown;
  size: number;
}

/**
 * Calls one connection's ATS: with its credential, its pace over all processes, one renewal of a refused token, and
 * the bounds of every call. It throws only {@link AtsFailure}.
 */
export interface AtsApi {
  call(request: AtsRequest): Promise<AtsAnswer>;
}

/**
 * Why a call failed.
 * - `away`: no answer, 5xx, 429, no JSON: the call is repeated (`retryAfterMs`).
 * - `refused`: 401 after a renewal, or a refused renewal: an admin has to reconnect.
 * - `forbidden`: 403: the credential lacks a permission.
 * - `not_found`: 404 and its equivalents.
 * - `rejected`: other 4xx, or a failed row in a 2xx: a repetition would be refused too.
 * - `malformed`: the answer breaks the documentation of the ATS.
 */
export type AtsFailureKind = 'away' | 'refused' | 'forbidden' | 'not_found' | 'rejected' | 'malformed';

/** A failed call. The reason is a code, the message is for people; neither holds data of a candidate or a secret. */
export class AtsFailure extends Error {
  constructor(
    readonly kind: AtsFailureKind,
    /** Such as `rate_limited`, `timeout`, `status_500`, `not_json`, `answer_too_large`, `grant_revoked`. */
    readonly reason: string,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'AtsFailure';
  }
}

/** The credential of a connection. It is sealed in the database, and no answer, log or error contains it. */
export type Credential =
  | { kind: 'api_key'; key: string }
  | {
      kind: 'oauth';
      accessToken: string;
      expiresAt: string;
      refreshToken: string | null;
      refreshedAt: string;
    }
  | {
      kind: 'client_credentials';
      clientId: string;
      clientSecret: string;
      /** The user of the ATS for whom the client acts, or null. */
      sub: string | null;
      accessToken: string | null;
      expiresAt: string | null;
    };
