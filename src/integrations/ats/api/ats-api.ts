/** One call to an ATS, relative to its base address. */
export interface AtsRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash, and is appended to the base address. */
  path: string;
  query?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Statuses beside 2xx that the connector handles itself; others throw an {@link AtsFailure}. */
  accepts?: readonly number[];
}

/** The answer of an ATS: its body is JSON, or there is none (204). Whole numbers of more than 15 digits are text. */
export interface AtsAnswer {
  status: number;
  /** Lower-case names: `link` and what a connector names in `keptHeaders`. */
  headers: Readonly<Record<string, string>>;
  json: unknown;
  /** The length of the body in characters. */
  size: number;
}

/**
 * Calls one connection's ATS: with its credential, its pace over all processes, one renewal of a refused token, and the
 * bounds of every call. It throws {@link AtsFailure} alone.
 */
export interface AtsApi {
  call(request: AtsRequest): Promise<AtsAnswer>;
}

/**
 * Why a call did not bring what was asked for.
 *
 * - `away`: no answer, 5xx, 429, no JSON: it is tried again (`retryAfterMs`).
 * - `refused`: 401 after a renewal, or the renewal was refused: the connection has to be made anew.
 * - `forbidden`: 403: the credential lacks a permission.
 * - `not_found`: 404 and what says the same.
 * - `rejected`: other 4xx, or a failed row in a 2xx: the ATS will not take this call, however often it is made.
 * - `malformed`: the answer is not what the ATS documents.
 */
export type AtsFailureKind = 'away' | 'refused' | 'forbidden' | 'not_found' | 'rejected' | 'malformed';

/** A call that failed. The reason is a code, the message is for people; neither holds data of a candidate or a secret. */
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

/** What a connection authenticates with. It is sealed in the database, and no answer, log or error contains it. */
export type Credential =
  | { kind: 'api_key'; key: string }
  | {
      kind: 'oauth';
      accessToken: string;
      /** When the access token ends. */
      expiresAt: string;
      refreshToken: string | null;
      /** When the refresh token was last used. */
      refreshedAt: string;
    }
  | {
      kind: 'client_credentials';
      clientId: string;
      clientSecret: string;
      /** The user of the ATS as whom the client acts; null: none. */
      sub: string | null;
      accessToken: string | null;
      expiresAt: string | null;
    };
