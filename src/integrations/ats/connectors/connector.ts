import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AtsStatus } from '../../../hiring/candidates/candidate.js';
import type { JobStatus } from '../../../hiring/jobs/job.js';
import type { AtsApi, AtsAnswer, Credential } from '../api/ats-api.js';

export type AtsRecordKind = 'job' | 'candidate';

/** A job opening in the ATS. Ids of an ATS are text here. */
export interface AtsJob {
  remoteId: string;
  title: string;
  status: JobStatus;
  department?: string | null;
  location?: string | null;
  employmentType?: string | null;
  url?: string | null;
  openedAt?: Date | null;
  closedAt?: Date | null;
  /** The ATS's own time of the last change; null when it has none. */
  changedAt: Date | null;
}

/** A candidate in the ATS. An absent field is unknown, and stays unchanged. */
export interface AtsCandidate {
  remoteId: string;
  firstName: string;
  /** Empty for a person with one name. */
  lastName: string;
  /** The first e-mail; null when the ATS has none. */
  email: string | null;
  /** The opening of the newest application; null when there is none. */
  jobRemoteId?: string | null;
  job?: AtsJob;
  /** The state of the application that counts. */
  status?: AtsStatus;
  stage?: { id: string; name: string | null } | null;
  /** Further keys, such as `ats_source`, `referrer`, `application_id`; null when the ATS has no value. */
  metadata?: Readonly<Record<string, string | null>>;
  changedAt: Date | null;
}

export interface AtsGone {
  kind: AtsRecordKind;
  remoteId: string;
  at: Date | null;
  /** The record that it was merged into; null when it was deleted. */
  survivorId: string | null;
}

export interface AtsPage<R> {
  records: readonly R[];
  /** The cursor of the next page; null on the last page. */
  next: string | null;
  /** On the last page: the token for the next pass, where the ATS gives one (Ashby's `syncToken`). */
  syncToken?: string | null;
  /** Unreadable rows, each with its reason: they are counted and shown, and stop nothing. */
  leftOut?: readonly { remoteId: string | null; reason: string }[];
}

export interface AtsPageFrom {
  /** Only changes since; null means everything. */
  since: Date | null;
  /** The token of the last pass; null when there is none, or everything is read. */
  syncToken: string | null;
  /** The cursor of the last page; null for the first page. */
  cursor: string | null;
}

export interface Region {
  /** Of the API, without a slash at the end. */
  api: string;
  /** Of OAuth; absent where the vendor has none. */
  authorize?: string;
  token?: string;
  audience?: string;
}

/** The abilities of a connector without help of the customer. The customer sees the missing ones in words. */
export interface Abilities {
  jobs: boolean;
  candidates: boolean;
  link: boolean;
  note: boolean;
  field: boolean;
  webhooksByApi: boolean;
  oauth: boolean;
  /** How deletions and merges become known. */
  deleted: 'list' | 'event' | 'both' | 'no';
  merged: 'event' | 'no';
  /** What the vendor's signature covers. */
  signature: 'body' | 'token_and_time' | 'none';
}

/** The vendor's limit: a steady rate, and a burst. */
export interface Pace {
  perSecond: number;
  burst: number;
}

/** The result of a signature check. `absent`: a secret is set, and the request has no signature. */
export type SignatureVerdict = 'valid' | 'invalid' | 'absent' | 'stale';

export interface InboundRequest {
  raw: Buffer;
  /** The parsed body; undefined when it is neither JSON nor a form. */
  body: unknown;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  receivedAt: Date;
}

export type InboundEffect =
  /** The setup ping of the vendor, or an event without data. */
  | { kind: 'none' }
  /** The signature does not cover the data, or the event lacks them: the record is read from the ATS. */
  | { kind: 'read_back'; of: 'candidate' | 'job'; remoteId: string }
  /**
   * The data of the event. With `changedAt` null the event has no time that shows its age, or only a part of the data.
   * Then the record is read where the connection can, else the event counts.
   */
  | { kind: 'candidate'; candidate: AtsCandidate }
  | { kind: 'job'; job: AtsJob }
  | { kind: 'gone'; gone: AtsGone };

export interface InboundReading {
  /** Names the event for as long as the vendor may send it again; null when its bytes name it. */
  dedupeKey: string | null;
  name: string;
  /** The vendor's time of the fact; null when there is none. */
  occurredAt: Date | null;
  effect: InboundEffect;
}

/** The connector cannot read a body. The message gives the reason, without data of the body. */
export class NotUnderstood extends Error {}

export interface InboundAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
}

export interface InboundRules {
  /** The status that the vendor takes as received. */
  readonly ack: number;
  /**
   * Returns the answer to a setup message that the vendor does not sign, such as an echo of one of its headers; null
   * for an event. The message has the token of the connection, has no effect, and is not stored.
   */
  handshake?(request: InboundRequest): InboundAnswer | null;
  /** Returns a body for each record, where the vendor names several in one message. */
  parts?(body: unknown): readonly unknown[];
  /**
   * Returns whether a message comes from a webhook that a person has set up in the ATS. It is checked only with a
   * secret that was set by hand: it knows none of the secrets of webhooks made through the API. Absent where the two
   * look alike.
   */
  isSetByHand?(request: InboundRequest): boolean;
  /** Checks the signature over the raw bytes. Any of the secrets may fit. */
  verify(request: InboundRequest, secrets: readonly string[]): SignatureVerdict;
  /** @throws {NotUnderstood} */
  read(request: InboundRequest): InboundReading;
}

export interface MadeWebhook {
  remoteId: string;
  event: string;
  /** The secret that signs its events; null when they are not signed. */
  secret: string | null;
}

export interface WebhookRules {
  readonly events: readonly string[];
  create(api: AtsApi, event: string, url: string, secret: string): Promise<MadeWebhook>;
  /** The interval of renewals; absent where webhooks do not end. */
  readonly renewEveryMs?: number;
  /** @returns false where the webhook has ended: it is made anew */
  renew?(api: AtsApi, remoteId: string, event: string): Promise<boolean>;
  /** Returns all webhooks, also those of other makers; absent where the vendor has no such list. */
  list?(api: AtsApi): Promise<{ remoteId: string; url: string }[]>;
  /** Does nothing when the webhook is already gone. */
  remove(api: AtsApi, remoteId: string): Promise<void>;
}

export type WriteTarget = 'note' | 'field' | 'link';

export interface AtsWrite {
  target: WriteTarget;
  candidateRemoteId: string;
  applicationRemoteId: string | null;
  /** Text of a note or value of a field; the address of a link. It contains the marker. */
  text: string;
  /** Names this write: the marker is looked for before the write is repeated. */
  marker: string;
  /** The ATS's user as whom it is written; null when the ATS needs none. */
  asUser: string | null;
  visibility: 'private' | 'public';
  field: string | null;
  /** The former value, for targets that hold one value, or null. */
  replaces: string | null;
}

export interface WriteRules {
  readonly targets: readonly WriteTarget[];
  readonly needsUser: boolean;
  /** Returns the id of the entry with the marker (its value where it has no id), or null. */
  find(api: AtsApi, write: AtsWrite): Promise<string | null>;
  /** @returns the same as `find` */
  write(api: AtsApi, write: AtsWrite): Promise<string>;
  /** Targets whose writes the vendor's API cannot undo. */
  readonly lasting?: readonly WriteTarget[];
  /** @returns false where the vendor's API cannot undo the write */
  undo(api: AtsApi, write: AtsWrite, ref: string): Promise<boolean>;
}

export interface AtsUser {
  id: string;
  name: string | null;
  email: string | null;
  active: boolean;
}

/** The OAuth rules of a vendor (RFC 6749 §4.1). */
export interface OAuthRules {
  readonly scopes: readonly string[];
  /** Query parameters of the authorization request beside the standard ones. */
  authorizeParameters(region: Region): Readonly<Record<string, string>>;
  /**
   * The query parameter of the answer that names the origin of the account's token address, where accounts of one
   * client live in several regions. It has to be the origin of a region: the client's secret is sent there.
   */
  readonly regionParameter?: string;
  /** How the client authenticates at the token address. */
  readonly clientAuth: 'body' | 'basic';
  /** Milliseconds without use after which a refresh token ends; null when it does not end. */
  readonly refreshIdleMs: number | null;
  /** Null when the vendor has no such address, and the customer removes the app there. */
  revokePath(region: Region): string | null;
}

/**
 * One vendor's adapter. A connector is one folder, and one line in `providers/providers.ts`. It keeps no state, and
 * uses neither database nor tenant.
 */
export interface Connector {
  /** The name in addresses: `/api/webhooks/{provider}`. */
  readonly provider: string;
  readonly title: string;
  /** The usual marker of external ids, with its underscore. */
  readonly marker: string;
  /** By name; the first one is the default. */
  readonly regions: Readonly<Record<string, Region>>;
  readonly credentials: readonly Credential['kind'][];
  readonly pace: Pace;
  readonly abilities: Abilities;
  /** What the connector cannot do, in sentences for the customer. */
  readonly limits: readonly string[];
  /** Answer headers that the connector reads, lower-case. */
  readonly keptHeaders?: readonly string[];

  /** Returns why an address cannot be that of the API (such as an old version), in words, or null. */
  addressProblem?(url: URL): string | null;
  authorization(credential: Credential): Readonly<Record<string, string>>;
  /**
   * Throws an `AtsFailure` for a refusal whose status does not show it (a failed row in a 2xx, `success: false`), or
   * whose status has another meaning (403 for a wrong key). It receives every answer.
   */
  judge?(answer: AtsAnswer): void;
  /** Returns the wait after a 429 without `Retry-After`, in milliseconds; null when the answer has none. */
  retryAfter?(answer: Pick<AtsAnswer, 'headers'>, now: Date): number | null;

  /** Tests a connection: a cheap call that shows whether the credential works. @returns the finding, in words */
  test(api: AtsApi): Promise<string>;
  jobs(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsJob>>;
  candidates(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsCandidate>>;
  /** Deleted records since a time; absent where the vendor has no such list. */
  gone?(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsGone>>;
  /** Null where the ATS has no such record. @throws {AtsFailure} `malformed` without required data */
  job(api: AtsApi, remoteId: string): Promise<AtsJob | null>;
  candidate(api: AtsApi, remoteId: string): Promise<AtsCandidate | null>;
  user(api: AtsApi, id: string): Promise<AtsUser | null>;
  /** Reads one page of the users; absent where each write is made as the credential. */
  users?(api: AtsApi, cursor: string | null): Promise<AtsPage<AtsUser>>;
  /** Returns the active user with an e-mail; absent where the vendor has no such search. */
  userByEmail?(api: AtsApi, email: string): Promise<AtsUser | null>;
  /** Returns the user of the credential, who approved the connection; absent where the vendor does not show it. */
  self?(api: AtsApi): Promise<AtsUser | null>;

  readonly inbound: InboundRules;
  readonly webhooks: WebhookRules | null;
  readonly oauth: OAuthRules | null;
  readonly writes: WriteRules;
}

const HEX = /^[0-9a-f]{64}$/i;

/** Compares a hexadecimal signature with the HMAC-SHA256 of a text under each secret, in constant time. */
export function hmacVerdictOf(
  signature: string,
  signed: string | Buffer,
  secrets: readonly string[],
): SignatureVerdict {
  if (!HEX.test(signature)) return 'invalid';
  const given = Buffer.from(signature, 'hex');
  let fits = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(signed).digest();
    fits = timingSafeEqual(expected, given) || fits;
  }
  return fits ? 'valid' : 'invalid';
}

/** Compares a token with each secret, for vendors that do not sign, in constant time. */
export function tokenVerdictOf(token: string, secrets: readonly string[]): SignatureVerdict {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const given = digest(token);
  const fitting = secrets.filter((secret) => timingSafeEqual(digest(secret), given));
  return fitting.length > 0 ? 'valid' : 'invalid';
}

export function basicKey(key: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${key}:`, 'utf8').toString('base64')}` };
}
