import { anonymousBodies, type AnonymousShare } from './anonymous-bodies.js';
import type { BodyBudget, BodyShare } from './body-budget.js';
import { ByteCollector } from './byte-collector.js';
import { BodyInCrumbs, BodyTooLarge } from './http.errors.js';
import type { BridgeRequest, BridgeResponse } from './request.js';
import { discard, dropRest } from './unread.js';

/** A refused body is read up to this limit, so that the caller sees the answer and not a broken connection. */
export const MAX_DISCARD = 64 * 1024 * 1024;
/**
 * Bodies up to this size are read before the caller is authenticated. Most bodies are smaller and need no earlier
 * look-up.
 */
const SMALL_BODY = 64 * 1024;

/** Returns the tenant of the caller; rejects with the refusal of an unknown one. */
export type Admit = (req: BridgeRequest) => Promise<string>;

/** The checks before a large body is read. */
export class LargeBody {
  readonly length: number;
  admitted = false;
  private share: BodyShare | null = null;

  constructor(
    private readonly req: BridgeRequest,
    private readonly res: BridgeResponse,
    private readonly budget: BodyBudget,
    private readonly admit: Admit | undefined,
  ) {
    this.length = Number(req.headers['content-length'] ?? 0);
  }

  /** Returns whether the caller has to be authenticated after this many bytes. */
  isDue(size: number): boolean {
    return !this.admitted && size > SMALL_BODY;
  }

  /** Authenticates the caller and counts the bytes so far; they are returned with the answer. */
  async pass(size: number): Promise<void> {
    const owner = await this.admit?.(this.req);
    this.admitted = true;
    // A caller that has gone away would not return its bytes.
    if (this.res.closed || this.req.destroyed) return;
    const share = (this.share = this.budget.share(owner ?? ''));
    this.res.once('close', share.giveBack);
    const refusal = share.take(size);
    if (refusal !== null) throw refusal;
  }

  /** Counts bytes as they arrive: an announced size takes no memory. */
  grow(bytes: number): Error | null {
    return this.share?.take(bytes) ?? null;
  }
}

/** Reads the bytes of a body, and calls `done` once: with them, or with the refusal. */
export function readStream(
  req: BridgeRequest,
  limit: number,
  large: LargeBody,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const length = req.headers['content-length'];
  const collector = new ByteCollector(limit, length === undefined ? null : Number(length));
  // A body that is complete with its first piece, as most are, is not counted.
  let share: AnonymousShare | null = null;
  const onData = (chunk: Buffer): void => {
    if (!collector.add(chunk)) return stop(new BodyTooLarge(limit));
    if (collector.crumbles) return stop(new BodyInCrumbs());
    const full = large.grow(chunk.length);
    if (full !== null) return stop(full);
    if (large.isDue(collector.size)) {
      req.pause();
      large.pass(collector.size).then(() => {
        share?.end();
        req.resume();
      }, stop);
    } else if (!large.admitted && collector.size !== Number(length)) {
      share ??= anonymousBodies.share(stop);
      share.grow(collector.capacity);
    }
  };
  const onEnd = (): void => {
    stop(null);
  };
  // A caller that has gone away gets no answer, and the request ends.
  const onError = (): void => {
    unlisten();
  };
  const unlisten = (): void => {
    share?.end();
    req.off('data', onData);
    req.off('end', onEnd);
  };
  let over = false;
  const stop = (error: Error | null): void => {
    // A body can be ended while its sender is being authenticated.
    if (over) return;
    over = true;
    unlisten();
    if (error === null) return done(null, collector.bytes());
    if (error instanceof BodyInCrumbs) dropRest(req);
    else discard(req, collector.size, MAX_DISCARD);
    done(error);
  };
  const listen = (): void => {
    req.on('data', onData);
    req.on('end', onEnd);
  };
  req.on('error', onError);
  req.on('close', onError);
  if (large.isDue(large.length)) large.pass(0).then(listen, stop);
  else listen();
}
