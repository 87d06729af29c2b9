import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SessionRow } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { hashToken, mintToken, parseToken } from '../../../base/crypto/tokens.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { Logger } from '../../../base/log/logger.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { Administrators } from '../../../tenancy/tenants/administrators.js';
import { NotAnAdministrator } from '../../../tenancy/tenants/tenants.errors.js';
import { AtsFailure } from '../api/ats-api.js';
import type { AtsUserBody } from '../connections/ats-connections.dto.js';
import { AtsAddresses } from '../connections/ats-connections.store.js';
import type { Connector, Region } from '../connectors/connector.js';
import { TokenClient, type OAuthClient, type Grant } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import {
  AuthorizationsRepository,
  stateCookie,
  type KnownState,
  type Authorization,
} from './authorizations.repository.js';
import { ConnectLinksService, type OpenLink } from './connect-links.service.js';
import { GrantedConnections, type Connected } from './granted-connections.js';
import { atsCodeOf, ConnectRefused } from './marketplace.errors.js';

/** The starter of a connection: a signed-in administrator, or the holder of a connect link. */
export type Starter = { tenantId: string } & ({ session: SessionRow; link: null } | { session: null; link: OpenLink });

interface Begun {
  url: string;
  cookie: { name: string; secret: string };
}

interface ReturnedBrowser {
  state: string;
  code: string | null;
  error: string | null;
  /** The issuer in the answer (RFC 9207), or null. */
  issuer: string | null;
  /** The origin of the token address in the answer, or null. */
  tokenOrigin: string | null;
  cookies: ReadonlyMap<string, string>;
  session: SessionRow | null;
  requestId: string;
}

/** The users to choose from, as whom the connection writes; null when there is no choice. */
interface Asked {
  users: readonly AtsUserBody[] | null;
}

/**
 * Connects an ATS by OAuth 2.0 (RFC 6749 §4.1). The `state` names a stored authorization, which binds tenant, user or
 * link, provider and browser, for ten minutes and once.
 */
@Injectable()
export class MarketplaceService {
  constructor(
    private readonly authorizations: AuthorizationsRepository,
    private readonly granted: GrantedConnections,
    private readonly links: ConnectLinksService,
    private readonly administrators: Administrators,
    private readonly logger: Logger,
    private readonly clients: TokenClient,
    private readonly addresses: AtsAddresses,
  ) {}

  /** @throws {NotFound} where the provider is unknown, has no OAuth, or the operator has set no client for it */
  partner(provider: string): Connector {
    const connector = connectorOf(provider);
    if (connector?.oauth == null || this.clients.clientOf(provider) === null) throw new NotFound('integration');
    return connector;
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
    const url = this.authorizeUrl(connector, state, challenge);
    return { url, cookie: { name: stateCookie(hash), secret } };
  }

  /**
   * Takes the answer of the ATS: checks that it belongs to this browser and user, exchanges the code, and makes the
   * connection.
   *
   * @throws {ConnectRefused} with the reason for the person at the browser
   */
  async complete(connector: Connector, returned: ReturnedBrowser): Promise<Connected & Asked> {
    const { tenantId, hash, authorization, secret } = await this.checked(connector.provider, returned);
    const actor = await this.actorOf(tenantId, authorization, returned.session);
    const region = this.answeredRegion(connector, returned);
    if (region === null) throw new ConnectRefused('other_provider');
    if (!(await this.authorizations.use(tenantId, hash))) throw new ConnectRefused('state_used');
    if (returned.error !== null) throw this.endedByAts(tenantId, connector, returned.error);
    if (returned.code === null) throw new ConnectRefused('ats_error');
    const grant = await this.exchange({ tenantId, connector, region }, returned.code, verifierOf(secret));
    const { link_id: linkId, connection_id: connectionId, user_id: userId } = authorization;
    const by = { tenantId, actor, requestId: returned.requestId };
    const made = await this.granted.make(by, connector, { grant, linkId, connectionId, userId, region });
    await this.authorizations.made(tenantId, hash, made.connectionId);
    return { ...made, users: await this.granted.needed(made, connector, userId) };
  }

  private endedByAts(tenantId: string, { provider }: Connector, error: string): ConnectRefused {
    const code = atsCodeOf(error);
    this.logger.warn('ats.authorization_refused', { tenant_id: tenantId, provider, reason: code ?? 'not_a_code' });
    return error === 'access_denied' ? new ConnectRefused('denied') : new ConnectRefused('ats_error', code);
  }

  /** Checks everything about the state before the authorization is used up. */
  private async checked(
    provider: string,
    { state, cookies }: ReturnedBrowser,
  ): Promise<KnownState & { secret: string }> {
    const known = await this.authorizations.stateOf(provider, state);
    // The page of a success that is loaded again has no cookie any more.
    if (known.authorization.used) throw new ConnectRefused('state_used');
    const secret = this.authorizations.secretOf(known, cookies);
    if (known.authorization.expired) throw new ConnectRefused('state_expired');
    return { ...known, secret };
  }

  /** Returns the actor of the connection: the signed-in user, who must still administer, or the maker of the link. */
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

  /** Returns where to send a browser; `challenge` is that of PKCE (RFC 7636). */
  private authorizeUrl(connector: Connector, state: string, challenge: string): string {
    const { client, region } = this.clientOf(connector);
    const url = new URL(region.authorize!);
    const query = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: this.addresses.callback(connector.provider),
      scope: connector.oauth!.scopes.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...connector.oauth!.authorizeParameters(region),
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Returns the region in an answer; null when the answer is of another provider. */
  private answeredRegion(
    connector: Connector,
    { issuer, tokenOrigin }: { issuer: string | null; tokenOrigin: string | null },
  ): string | null {
    return this.isIssuer(connector, issuer) ? this.clients.answeredRegion(connector, tokenOrigin) : null;
  }

  /** Exchanges a code for a grant. @throws {ConnectRefused} when the vendor refuses the code or gives no answer */
  private async exchange(
    { tenantId, connector, region: name }: { tenantId: string; connector: Connector; region: string },
    code: string,
    verifier: string,
  ): Promise<Grant> {
    const { client, region } = this.clientOf(connector, name);
    try {
      return await this.clients.exchange({ tenantId, connector, region, client }, code, {
        redirectUri: this.addresses.callback(connector.provider),
        verifier,
      });
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      this.logger.warn('ats.code_refused', { tenant_id: tenantId, provider: connector.provider, reason: error.reason });
      throw error.kind === 'refused'
        ? new ConnectRefused('code_refused', atsCodeOf(error.reason))
        : new ConnectRefused('ats_away');
    }
  }

  /** An answer with another issuer was mixed up by an attacker (RFC 9207 §2.4). */
  private isIssuer(connector: Connector, issuer: string | null): boolean {
    const own = new URL(this.clientOf(connector).region.authorize!).origin;
    return issuer === null || issuer === own || issuer === `${own}/`;
  }

  /** The caller has checked that there is a client. */
  private clientOf(
    connector: Connector,
    name = this.clients.usualRegion(connector),
  ): { client: OAuthClient; region: Region } {
    const client = this.clients.clientOf(connector.provider);
    const region = this.clients.region(connector, name);
    if (client === null || region === undefined) throw new Error(`there is no OAuth client for ${connector.provider}`);
    return { client, region };
  }
}

/** The verifier of PKCE (RFC 7636), made from the secret of this browser: nothing more is stored. */
function verifierOf(secret: string): string {
  return createHash('sha256').update(`pkce ${secret}`).digest('base64url');
}
