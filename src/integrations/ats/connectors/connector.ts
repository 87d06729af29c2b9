import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AtsStatus } from '../../../hiring/candidates/candidate.js';
import type { JobStatus } from '../../../hiring/jobs/job.js';
import type { AtsApi, AtsAnswer, Credential } from '../api/ats-api.js';

/** What a connector reads, as kinds of records. */
export type AtsRecordKind = 'job' | 'candidate';

/** A job opening as an ATS shows it. Ids of an ATS are text here. */
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
  /** The ATS's own time of the last change; null: it does not say. */
  changedAt: Date | null;
}

/** A candidate as an ATS shows it. What is left out was not said, and stays as it is. */
export interface AtsCandidate {
  remoteId: string;
  firstName: string;
  /** Empty for a person with one name. */
  lastName: string;
  /** The e-mail that comes first; null: the ATS has none. */
  email: string | null;
  /** The opening of the newest application; null: none. */
  jobRemoteId?: string | null;
  /** The opening itself, where the answer or the event holds it. */
  job?: AtsJob;
  /** The state of the application that counts. */
  status?: AtsStatus;
  stage?: { id: string; name: string | null } | null;
  /** Further keys of the metadata, such as `ats_source`, `referrer`, `application_id`; null: none in the ATS. */
  metadata?: Readonly<Record<string, string | null>>;
  changedAt: Date | null;
}

/** A record that the ATS has no more. */
export interface AtsGone {
  kind: AtsRecordKind;
  remoteId: string;
  at: Date | null;
  /** The record that it was merged into; null: it was deleted. */
  survivorId: string | null;
}

/** One page of a list. */
export interface AtsPage<R> {
  records: readonly R[];
  /** The cursor of the next page; null: this is the last one. */
  next: string | null;
  /** With the last page, where the ATS gives one: what the next pass begins with (Ashby's `syncToken`). */
  syncToken?: string | null;
  /** Rows that cannot be understood, each with its reason: they are counted and shown, and stop nothing. */
  leftOut?: readonly { remoteId: string | null; reason: string }[];
}

/** Where a page of a list begins. */
export interface AtsPageFrom {
  /** Only what has changed since; null: everything. */
  since: Date | null;
  /** The token of the last pass; null: there is none, or everything is read. */
  syncToken: string | null;
  /** The cursor of the last page; null: the first page. */
  cursor: string | null;
}

/** The addresses of one region of a vendor. */
export interface Region {
  /** Of the API, without a slash at the end. */
  api: string;
  /** Of OAuth; left out where the vendor has none. */
  authorize?: string;
  token?: string;
  audience?: string;
}

/** What a connector does without help of the customer. What it does not is said in words, and shown. */
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

/** What a signature check came to. `absent`: a secret is set, and the request has no signature. */
export type SignatureVerdict = 'valid' | 'invalid' | 'absent' | 'stale';

/** One inbound request, as it came. */
export interface InboundRequest {
  raw: Buffer;
  /** The body, parsed; undefined: it is neither JSON nor a form. */
  body: unknown;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  receivedAt: Date;
}

/** What an inbound event says. */
export type InboundEffect =
  /** The setup ping of the vendor, or an event without data: it has no effect. */
  | { kind: 'none' }
  /** The signature does not cover the data, or the event does not hold it: the record is read from the ATS. */
  | { kind: 'read_back'; of: 'candidate' | 'job'; remoteId: string }
  /**
   * What the event holds. Where `changedAt` is null, it has no time that shows its age, or has a part of
   * the truth: the record is read where the connection can, and the event counts where it cannot.
   */
  | { kind: 'candidate'; candidate: AtsCandidate }
  | { kind: 'job'; job: AtsJob }
  | { kind: 'gone'; gone: AtsGone };

/** An inbound event that is understood. */
export interface InboundReading {
  /** Names the event for as long as the vendor may send it again; null: it has no name, and its bytes name it. */
  dedupeKey: string | null;
  /** The vendor's name of the event, for lists. */
  name: string;
  /** The vendor's time of the fact; null: it does not say. */
  occurredAt: Date | null;
  effect: InboundEffect;
}

/** A body that the connector does not understand. The message says why, without data of the body. */
export class NotUnderstood extends Error {}

/** An answer to a vendor, without a body. */
export interface InboundAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
}

/** How a vendor's webhooks are received. */
export interface InboundRules {
  /** The status that the vendor takes as received. */
  readonly ack: number;
  /**
   * Returns the answer to a setup message that the vendor does not sign, such as an echo of one of its headers; null: it is
   * an event. It comes with the token of the connection, has no effect, and is not kept.
   */
  handshake?(request: InboundRequest): InboundAnswer | null;
  /** Returns a body for each record, where the vendor names several in one message; left out: it names one. */
  parts?(body: unknown): readonly unknown[];
  /**
   * Whether a message comes from a webhook that a person has set up in the ATS: it knows none of the secrets of webhooks that
   * were made through the API, and is checked with a secret that was set by hand alone. Left out: the two look alike.
   */
  isSetByHand?(request: InboundRequest): boolean;
  /** Checks the signature over the raw bytes. Any of the secrets may fit. */
  verify(request: InboundRequest, secrets: readonly string[]): SignatureVerdict;
  /** @throws {NotUnderstood} */
  read(request: InboundRequest): InboundReading;
}

/** A webhook that was made at the ATS. */
export interface MadeWebhook {
  remoteId: string;
  event: string;
  /** The secret that its events are signed with; null: they are not signed. */
  secret: string | null;
}

/** Webhooks that are made and removed through the API of the vendor. */
export interface WebhookRules {
  /** The events that are asked for. */
  readonly events: readonly string[];
  create(api: AtsApi, event: string, url: string, secret: string): Promise<MadeWebhook>;
  /** Webhooks end after a time, and are renewed once in this one; left out: they do not end. */
  readonly renewEveryMs?: number;
  /** Lets a webhook live on. @returns false where it has ended: it is made anew */
  renew?(api: AtsApi, remoteId: string, event: string): Promise<boolean>;
  /** Returns all existing webhooks, also those of other makers; left out where the vendor has no such list. */
  list?(api: AtsApi): Promise<{ remoteId: string; url: string }[]>;
  /** Does nothing where the webhook is gone already. */
  remove(api: AtsApi, remoteId: string): Promise<void>;
}

/** Where in the ATS a text or link is put. */
export type WriteTarget = 'note' | 'field' | 'link';

/** One write to a candidate's profile. */
export interface AtsWrite {
  target: WriteTarget;
  candidateRemoteId: string;
  /** The application, where the candidate's metadata names one. */
  applicationRemoteId: string | null;
  /** Text of a note or value of a field; the address of a link. It contains the marker. */
  text: string;
  /** What tells this write from all others: it is looked for before the write is repeated. */
  marker: string;
  /** The ATS's user as whom it is written; null: the ATS needs none. */
  asUser: string | null;
  visibility: 'private' | 'public';
  /** The name of the custom field. */
  field: string | null;
  /** What this write takes the place of, for targets that hold one value; null: nothing. */
  replaces: string | null;
}

/** How a vendor is written to. */
export interface WriteRules {
  readonly targets: readonly WriteTarget[];
  /** Whether each write is made as a user of the ATS. */
  readonly needsUser: boolean;
  /** Returns the id (or, where there is none, the value) of what carries the marker; null: there is nothing. */
  find(api: AtsApi, write: AtsWrite): Promise<string | null>;
  /** Writes, and returns the same as `find`. */
  write(api: AtsApi, write: AtsWrite): Promise<string>;
  /** Targets whose writes the vendor's API cannot take back; left out: none. */
  readonly lasting?: readonly WriteTarget[];
  /** Takes a write back. @returns false where the vendor's API cannot */
  undo(api: AtsApi, write: AtsWrite, ref: string): Promise<boolean>;
}

/** A user of the ATS. */
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
   * The query parameter of the answer that names the origin of the account's token address, where accounts of one client
   * live in several regions. It has to be that of a region: the client's secret is sent there.
   */
  readonly regionParameter?: string;
  /** How the client authenticates at the token address. */
  readonly clientAuth: 'body' | 'basic';
  /** A refresh token ends so long after its last use, in milliseconds; null: it does not end. */
  readonly refreshIdleMs: number | null;
  /** Where a grant is revoked; null: the vendor has no such address, and the customer removes the app there. */
  revokePath(region: Region): string | null;
}

/**
 * One vendor's adapter. A connector is one folder, and one line in `providers/providers.ts`; it keeps no state, and knows neither
 * database nor tenant.
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
  /** What it cannot do, in sentences for the customer. */
  readonly limits: readonly string[];
  /** Names of answer headers that it reads, lower-case. */
  readonly keptHeaders?: readonly string[];

  /** Returns why an address cannot be that of the API (an old version of it), in words; null: it can. */
  addressProblem?(url: URL): string | null;
  /** Returns the headers that authenticate a call. */
  authorization(credential: Credential): Readonly<Record<string, string>>;
  /**
   * Throws an `AtsFailure` for an answer that is a refusal though its status does not say so (a failed row in a 2xx,
   * `success: false`), or that means something else than its status (403 for a wrong key). It sees every answer.
   */
  judge?(answer: AtsAnswer): void;
  /** Returns how long a 429 asks to wait where `Retry-After` does not say, in milliseconds; null: it does not say. */
  retryAfter?(answer: Pick<AtsAnswer, 'headers'>, now: Date): number | null;

  /** The test of a connection: a cheap call that shows whether the credential works. @returns what it found, in words */
  test(api: AtsApi): Promise<string>;
  jobs(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsJob>>;
  candidates(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsCandidate>>;
  /** Deleted records since a time; left out where the vendor has no such list. */
  gone?(api: AtsApi, from: AtsPageFrom): Promise<AtsPage<AtsGone>>;
  /** Returns null where the ATS has no such record (any more). @throws {AtsFailure} `malformed` where it lacks what is needed */
  job(api: AtsApi, remoteId: string): Promise<AtsJob | null>;
  candidate(api: AtsApi, remoteId: string): Promise<AtsCandidate | null>;
  /** Returns null where the ATS has no such user. */
  user(api: AtsApi, id: string): Promise<AtsUser | null>;
  /** Reads one page of the users; left out where each write is made as the credential. */
  users?(api: AtsApi, cursor: string | null): Promise<AtsPage<AtsUser>>;
  /** Returns the active user with an e-mail, where the vendor can be asked so; null: there is none. */
  userByEmail?(api: AtsApi, email: string): Promise<AtsUser | null>;
  /** Returns the user that the credential belongs to, where the vendor says so: who approved. */
  self?(api: AtsApi): Promise<AtsUser | null>;

  readonly inbound: InboundRules;
  readonly webhooks: WebhookRules | null;
  readonly oauth: OAuthRules | null;
  readonly writes: WriteRules;
}

/** A SHA-256 in hexadecimal digits. */
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Compares a signature with the HMAC-SHA256 of a text under each secret. The time does not depend on where they differ.
 *
 * @param signature hexadecimal digits
 */
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

/** Compares a token with each secret itself, where a vendor does not sign. The time does not depend on where they differ. */
export function tokenVerdictOf(token: string, secrets: readonly string[]): SignatureVerdict {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const given = digest(token);
  const fitting = secrets.filter((secret) => timingSafeEqual(digest(secret), given));
  return fitting.length > 0 ? 'valid' : 'invalid';
}

/** Returns the headers of HTTP Basic with a key as user and an empty password. */
export function basicKey(key: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${key}:`, 'utf8').toString('base64')}` };
}
