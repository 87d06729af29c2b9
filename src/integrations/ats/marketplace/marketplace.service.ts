import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashToken, mintToken, parseToken } from '../../../base/crypto/tokens.js';
import { Logger } from '../../../base/log/logger.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import type { SessionRow } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { Administrators } from '../../../tenancy/tenants/administrators.js';
import { NotAnAdministrator } from '../../../tenancy/tenants/tenants.errors.js';
import type { AtsUserBody } from '../connections/ats-connection-bodies.dto.js';
import type { Connector } from '../connectors/connector.js';
import { AuthorizationStates, stateCookie, type KnownState } from './authorization-states.js';
import { AuthorizationsRepository, type Authorization } from './authorizations.repository.js';
import { ConnectLinksRepository, type OpenLink } from './connect-links.repository.js';
import { atsCodeOf, ConnectRefused } from './marketplace.errors.js';
import { GrantedConnections, type Connected } from './granted-connections.js';
import { VendorOAuth } from './vendor-oauth.js';
import { WriterChoice } from './writer-choice.js';

/** Who connects: a signed-in administrator, or the holder of a connect link. */
export type Starter = { tenantId: string } & ({ session: SessionRow; link: null } | { session: null; link: OpenLink });

/** Where the browser goes, and what it keeps. */
export interface Begun {
  url: string;
  /** The name and the secret of the cookie that ties the answer to this browser. */
  cookie: { name: string; secret: string };
}

/** An answer of an ATS, as the browser brings it. */
export interface ReturnedBrowser {
  state: string;
  code: string | null;
  error: string | null;
  /** The issuer that the answer names (RFC 9207); null: none. */
  issuer: string | null;
  /** The origin of the token address that the answer names; null: none. */
  tokenOrigin: string | null;
  cookies: ReadonlyMap<string, string>;
  session: SessionRow | null;
  requestId: string;
}

/** The users to choose from, as whom the connection writes; null: there is nothing to choose. */
interface Asked {
  users: readonly AtsUserBody[] | null;
}

/**
 * Connects an ATS by OAuth 2.0 (RFC 6749 §4.1). The `state` names a stored authorization, which binds tenant, person
 * or link, provider and browser, for ten minutes and once.
 */
@Injectable()
export class MarketplaceService {
  constructor(
    private readonly authorizations: AuthorizationsRepository,
    private readonly states: AuthorizationStates,
    private readonly writer: WriterChoice,
    private readonly links: ConnectLinksRepository,
    private readonly administrators: Administrators,
    private readonly granted: GrantedConnections,
    private readonly vendors: VendorOAuth,
    private readonly logger: Logger,
  ) {}

  /** Returns the connector of a provider. @throws {NotFound} as {@link VendorOAuth.partner} */
  partner(provider: string): Connector {
    return this.vendors.partner(provider);
  }

  /** @throws {NotAnAdministrator} when the person does not administer the tenant */
  async demandAdministrator(session: SessionRow): Promise<void> {
    if (await this.administrators.has(session)) return;
    throw new NotAnAdministrator(
      'You do not administer this tenant. Ask an administrator to connect the ATS, or to send you a connect link.',
    );
  }

  /** Returns the open link of a secret. @throws {ConnectRefused} `link_over` */
  async linkOf(provider: string, secret: string): Promise<Extract<Starter, { session: null }>> {
    const parsed = parseToken(secret);
    const link = parsed?.kind === 'tbi' ? await this.links.byHash(parsed.tenantId, parsed.hash) : null;
    if (parsed === null || link === null || link.provider !== provider) throw new ConnectRefused('link_over');
    return { tenantId: parsed.tenantId, session: null, link };
  }

  /** Begins an authorization, and returns the address of the ATS with what the browser keeps. */
  async begin(starter: Starter, connector: Connector, connectionId: string | null): Promise<Begun> {
    const { token: state, hash } = mintToken('tbg', starter.tenantId);
    const secret = randomBytes(32).toString('base64url');
    await this.authorizations.insert(starter.tenantId, {
      hash,
      provider: connector.provider,
      browser_hash: hashToken(secret),
      user_id: starter.session?.user_id ?? null,
      link_id: starter.link?.id ?? null,
      connection_id: connectionId,
    });
    const challenge = createHash('sha256').update(verifierOf(secret)).digest('base64url');
    const url = this.vendors.authorizeUrl(connector, state, challenge);
    return { url, cookie: { name: stateCookie(hash), secret } };
  }

  /**
   * Takes the answer of the ATS: checks that it belongs to this browser and person, exchanges the code, and makes the connection.
   *
   * @throws {ConnectRefused} with the reason for the person at the browser
   */
  async complete(connector: Connector, returned: ReturnedBrowser): Promise<Connected & Asked> {
    const { tenantId, hash, authorization, secret } = await this.checked(connector.provider, returned);
    const actor = await this.actorOf(tenantId, authorization, returned.session);
    const region = this.vendors.answeredRegion(connector, returned);
    if (region === null) throw new ConnectRefused('other_provider');
    if (!(await this.authorizations.use(tenantId, hash))) throw new ConnectRefused('state_used');
    if (returned.error !== null) throw this.endedByAts(tenantId, connector, returned.error);
    if (returned.code === null) throw new ConnectRefused('ats_error');
    const grant = await this.vendors.exchange({ tenantId, connector, region }, returned.code, verifierOf(secret));
    const { link_id: linkId, connection_id: connectionId, user_id: userId } = authorization;
    const by = { tenantId, actor, requestId: returned.requestId };
    const made = await this.granted.make(by, connector, { grant, linkId, connectionId, userId, region });
    await this.authorizations.made(tenantId, hash, made.connectionId);
    return { ...made, users: await this.writer.needed(made, connector, userId) };
  }

  private endedByAts(tenantId: string, { provider }: Connector, error: string): ConnectRefused {
    const code = atsCodeOf(error);
    this.logger.warn('ats.authorization_refused', { tenant_id: tenantId, provider, reason: code ?? 'not_a_code' });
    return error === 'access_denied' ? new ConnectRefused('denied') : new ConnectRefused('ats_error', code);
  }

  /** Everything that is wrong with the state is known before the authorization is used up. */
  private async checked(
    provider: string,
    { state, cookies }: ReturnedBrowser,
  ): Promise<KnownState & { secret: string }> {
    const known = await this.states.of(provider, state);
    // The page of a success that is loaded again has no cookie any more.
    if (known.authorization.used) throw new ConnectRefused('state_used');
    const secret = this.states.secretOf(known, cookies);
    if (known.authorization.expired) throw new ConnectRefused('state_expired');
    return { ...known, secret };
  }

  /** Returns the actor of the connection: the signed-in person, who must still administer, or the maker of the link. */
  private async actorOf(
    tenantId: string,
    { user_id: userId, link_id: linkId }: Authorization,
    session: SessionRow | null,
  ): Promise<Actor> {
    if (linkId !== null) {
      const link = await this.links.byId(tenantId, linkId);
      if (link === null) throw new ConnectRefused('link_over');
      return link.created_by;
    }
    const same = session !== null && session.tenant_id === tenantId && session.user_id === userId;
    if (!same || !(await this.administrators.has(session))) throw new ConnectRefused('other_person');
    return { kind: 'user', id: session.user_id, name: session.user_id };
  }
}

/** The verifier of PKCE (RFC 7636), made of the secret that this browser alone has: nothing more is stored. */
function verifierOf(secret: string): string {
  return createHash('sha256').update(`pkce ${secret}`).digest('base64url');
}
