import type { IncomingMessage } from 'node:http';
import { MalformedRequest } from '../errors/domain-error.js';
import { discard, dropRest } from './answer.js';
import { ByteCollector } from './byte-collector.js';
import { TooManyBodies, BodyInCrumbs, BodyTooLarge, UnsupportedMediaType } from './http.errors.js';

/** Memory for all bodies whose sender is not authenticated yet, in bytes. */
const MAX_ANONYMOUS = 16 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

export interface AnonymousShare {
  /** Notes the memory of the body. Never throws: `giveWay` is called for a body that has to end. */
  readonly grow: (bytes: number) => void;
  /** Ends the count: the body is complete, refused, or its sender is authenticated. May be called again. */
  readonly end: () => void;
}

/**
 * Counts the memory of bodies whose sender is not authenticated yet: small JSON bodies, which are read before the look-up of
 * the credential, and forms, which need none. When the memory is used up, the oldest body ends. An ordinary body is complete
 * within milliseconds, so a flood of slow bodies displaces itself.
 */
export class AnonymousBodies {
  private held = 0;
  private readonly open = new Map<object, { bytes: number; giveWay: (reason: TooManyBodies) => void }>();

  constructor(private readonly max = MAX_ANONYMOUS) {}

  /** @param giveWay ends the reading of this body with 503; called at most once, and not after `end` */
  share(giveWay: (reason: TooManyBodies) => void): AnonymousShare {
    const key = {};
    this.open.set(key, { bytes: 0, giveWay });
    return {
      grow: (bytes) => {
        const mine = this.open.get(key);
        if (mine === undefined) return;
        this.held += bytes - mine.bytes;
        mine.bytes = bytes;
        this.makeRoom();
      },
      end: () => this.close(key),
    };
  }

  get size(): number {
    return this.held;
  }

  private makeRoom(): void {
    for (const [key, { bytes, giveWay }] of this.open) {
      if (this.held <= this.max) return;
      // A body without bytes frees no memory.
      if (bytes === 0) continue;
      this.close(key);
      giveWay(
        new TooManyBodies(
          `Bodies of unknown senders take more than ${this.max} bytes together. Send the body without pauses.`,
          RETRY_AFTER_SECONDS,
        ),
      );
    }
  }

  private close(key: object): void {
    this.held -= this.open.get(key)?.bytes ?? 0;
    this.open.delete(key);
  }
}

/** All servers of this process share the memory. */
export const anonymousBodies = new AnonymousBodies();

const MAX_FIELDS = 64;
const MAX_DISCARD = 16 * 1024 * 1024;

/**
 * Reads the named fields of a form that a browser, a client or an IdP has posted: at most `limit` bytes, at most 64 fields. A
 * field without a value is absent, and one with another name is ignored (RFC 6749 §3.2).
 *
 * @throws {BodyTooLarge} {@link UnsupportedMediaType} or {@link MalformedRequest}; also when a named field comes more than
 *   once, since two readers could use different ones
 */
export async function readForm<const Name extends string>(
  req: IncomingMessage,
  limit: number,
  names: readonly Name[],
): Promise<ReadonlyMap<Name, string>> {
  const type = (req.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const length = Number(req.headers['content-length'] ?? 0);
  if (length === 0 && req.headers['transfer-encoding'] === undefined) return new Map();
  if (type !== 'application/x-www-form-urlencoded' || req.headers['content-encoding'] !== undefined) {
    discard(req, 0, MAX_DISCARD);
    throw new UnsupportedMediaType('This address reads forms: application/x-www-form-urlencoded.');
  }
  if (length > limit) {
    discard(req, 0, MAX_DISCARD);
    throw new BodyTooLarge(limit);
  }
  const form = new Map<Name, string>();
  const text = await read(req, limit);
  // Splits at most one time more than fields are allowed: a body of ampersands costs nothing.
  const pairs = text === '' ? [] : text.split('&', MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) throw new MalformedRequest(`The form has more than ${MAX_FIELDS} fields.`);
  for (const pair of pairs) {
    const [[given, value] = ['', '']] = new URLSearchParams(pair);
    const name = names.find((one) => one === given);
    if (name === undefined || value === '') continue;
    if (form.has(name)) throw new MalformedRequest('The form names a field more than once.', 'repeated_parameter');
    form.set(name, value);
  }
  return form;
}

function read(req: IncomingMessage, limit: number): Promise<string> {
  const length = req.headers['content-length'];
  const collector = new ByteCollector(limit, length === undefined ? null : Number(length));
  return new Promise<string>((resolve, reject) => {
    const refuse = (reason: Error): void => {
      req.removeAllListeners('data');
      share.end();
      if (reason instanceof BodyInCrumbs) dropRest(req);
      else discard(req, 0, MAX_DISCARD);
      reject(reason);
    };
    const share = anonymousBodies.share(refuse);
    req.on('data', (chunk: Buffer) => {
      if (!collector.add(chunk)) refuse(new BodyTooLarge(limit));
      else if (collector.crumbles) refuse(new BodyInCrumbs());
      else share.grow(collector.capacity);
    });
    req.on('end', () => {
      share.end();
      resolve(collector.bytes().toString('utf8'));
    });
    req.on('error', (error) => {
      share.end();
      reject(error);
    });
    req.on('close', () => {
      share.end();
      reject(new MalformedRequest('The body broke off.'));
    });
  });
}
