import { Injectable } from '@nestjs/common';
import { hashToken, parseToken, sameHash } from '../../../base/crypto/tokens.js';
import { AuthorizationsRepository, type Authorization } from './authorizations.repository.js';
import { ConnectRefused } from './marketplace.errors.js';

/** The authorization that a `state` names. */
export interface KnownState {
  tenantId: string;
  hash: Buffer;
  authorization: Authorization;
}

/** Finds authorizations by the `state` that a browser brings. */
@Injectable()
export class AuthorizationStates {
  constructor(private readonly authorizations: AuthorizationsRepository) {}

  /** @throws {ConnectRefused} `state_unknown`, or `other_provider` */
  async of(provider: string, state: string): Promise<KnownState> {
    const parsed = parseToken(state);
    if (parsed?.kind !== 'tbg') throw new ConnectRefused('state_unknown');
    const { tenantId, hash } = parsed;
    const authorization = await this.authorizations.find(tenantId, hash);
    if (authorization === null) throw new ConnectRefused('state_unknown');
    if (authorization.provider !== provider) throw new ConnectRefused('other_provider');
    return { tenantId, hash, authorization };
  }

  /** Returns the secret that this browser alone has. @throws {ConnectRefused} `other_browser` */
  secretOf({ hash, authorization }: KnownState, cookies: ReadonlyMap<string, string>): string {
    const secret = cookies.get(stateCookie(hash));
    if (secret === undefined || !sameHash(hashToken(secret), authorization.browser_hash)) {
      throw new ConnectRefused('other_browser');
    }
    return secret;
  }

  /** The name of the cookie of an answer, to be removed; null: the state is none of ours. */
  cookieOf(state: string): string | null {
    const parsed = parseToken(state);
    return parsed?.kind === 'tbg' ? stateCookie(parsed.hash) : null;
  }
}

/** The name of the cookie that ties an authorization to its browser. */
export function stateCookie(hash: Buffer): string {
  return `__Host-ats-${hash.toString('hex').slice(0, 16)}`;
}
