import { Injectable } from '@nestjs/common';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/store.js';
import { BrowserHalf, isHandle, mayHaveBegun } from '../requests/browser-half.js';
import { SignInRequestsRepository, type SignInRequest } from '../requests/sign-in-requests.repository.js';
import { SignInRefused } from '../sign-in.errors.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { cookiesOf, type SignInContext, type SignInHttpRequest } from '../requests/sign-in.context.js';

/** Both protocols begin here: with the connection of an answer, its sign-in request, and its browser. */
@Injectable()
export class PendingSignIns {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly requests: SignInRequestsRepository,
    private readonly limits: SignInLimits,
  ) {}

  /**
   * Returns the connection of an address.
   *
   * @param kind the kind of sign-in where no stored request states another
   * @throws {NotFound} when there is no such connection
   * @throws {SignInRefused} `binding_refused` when the connection uses the other protocol
   */
  async connectionOf<T extends Connection['type']>(
    req: SignInHttpRequest,
    type: T,
    kind?: SignInContext['kind'],
  ): Promise<Extract<Connection, { type: T }>> {
    const slug = req.params['idp_provider'];
    const connection = typeof slug === 'string' ? await this.connections.bySlug(slug) : null;
    if (connection === null) throw new NotFound('connection');
    req.tenantId = connection.tenantId;
    req.signInContext = { connection, request: null, browser: null, ...(kind === undefined ? {} : { kind }) };
    if (!isOfType(connection, type)) {
      const why = `${req.method} at this address is for ${type}, and the connection is by ${connection.type}`;
      throw new SignInRefused('binding_refused', why);
    }
    return connection;
  }

  /**
   * Demands that an answer may be read, which costs more than the rest. An address that has used up its tries may only answer
   * an open sign-in of this browser, at most five times at once.
   *
   * @param handle the handle beside the answer
   * @throws {SignInRefused} `too_many_tries`
   */
  async demandMayAnswer(req: SignInHttpRequest, connection: Connection, handle: string): Promise<void> {
    const address = req.ip ?? '';
    if (await this.limits.hasTriesLeft(address, connection.tenantId)) return;
    const cookies = cookiesOf(req);
    const request = mayHaveBegun(cookies, handle) ? await this.requests.find(connection.tenantId, handle) : null;
    const open = request?.connection_id === connection.id && !request.used && !request.expired;
    const browser = open ? BrowserHalf.of(cookies, handle, request.browser_hash) : null;
    if (browser === null) return this.limits.demandTriesLeft(address, connection.tenantId);
    await this.limits.answerBegun(handle);
    req.signInContext = { connection, request, browser };
  }

  /**
   * Uses up the sign-in request that an answer names, also for an answer that is then refused.
   *
   * @throws {SignInRefused} when the request is unknown, used, expired, or of another connection or browser
   */
  async take(req: SignInHttpRequest, connection: Connection, handle: string): Promise<BrowserHalf> {
    const cookies = cookiesOf(req);
    const claimed = BrowserHalf.claimed(cookies, handle);
    const taken =
      claimed === null ? null : await this.requests.take(connection.tenantId, connection.id, handle, claimed.hash);
    if (claimed === null || taken === null) return this.takeOrSayWhyNot(req, connection, handle);
    req.signInContext = { connection, request: taken, browser: claimed };
    demandEnabled(connection, taken);
    return claimed;
  }

  /** Does the same in more statements, which find out why a request cannot be used. */
  private async takeOrSayWhyNot(req: SignInHttpRequest, connection: Connection, handle: string): Promise<BrowserHalf> {
    const cookies = cookiesOf(req);
    // A browser that began a sign-in may finish it, independent of others at the same address.
    if (!mayHaveBegun(cookies, handle)) await this.limits.demandTriesLeft(req.ip ?? '', connection.tenantId);
    const request = isHandle(handle) ? await this.requests.find(connection.tenantId, handle) : null;
    const ours = request !== null && request.connection_id === connection.id;
    const browser = ours ? BrowserHalf.of(cookies, handle, request.browser_hash) : null;
    if (browser === null) await this.limits.demandTriesLeft(req.ip ?? '', connection.tenantId);
    if (!ours) throw new SignInRefused('state_unknown', 'this connection has no such sign-in');
    const isOpen = !request.used && !request.expired;
    const lacks = browser !== null || !isOpen ? null : cookies.size === 0 ? 'cookies' : 'cookie';
    req.signInContext = { connection, request: browser === null ? null : request, browser, lacks };
    if (browser === null)
      throw new SignInRefused('other_browser', 'another browser began the sign-in, or this one lost its cookie');
    demandFresh(request);
    if (!(await this.requests.consume(connection.tenantId, handle))) {
      throw new SignInRefused('state_used', 'the sign-in was answered by a concurrent request');
    }
    demandEnabled(connection, request);
    return browser;
  }
}

function demandEnabled(connection: Connection, { kind }: SignInRequest): void {
  if (connection.enabled || kind === 'test') return;
  throw new SignInRefused('connection_disabled', 'the connection is disabled');
}

function isOfType<T extends Connection['type']>(
  connection: Connection,
  type: T,
): connection is Extract<Connection, { type: T }> {
  return connection.type === type;
}

function demandFresh(request: SignInRequest): void {
  if (request.used) throw new SignInRefused('state_used', 'the sign-in was answered already');
  if (request.expired) throw new SignInRefused('state_expired', 'the sign-in was begun too long ago');
}
