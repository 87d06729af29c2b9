import { Injectable } from '@nestjs/common';
import { rawQuery } from '../../../base/http/request.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { SignInHttpRequest } from '../sign-in.context.js';
import { fromOidc } from '../strategies/verified-sign-in.mapping.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { PendingSignIns } from './pending-sign-ins.js';

/** The answer of an OpenID provider, until the controller completes the sign-in. */
@Injectable()
export class OidcCallback {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly protocol: OidcProtocol,
  ) {}

  /**
   * Reads the answer, takes the sign-in request that it names, and verifies the answer.
   *
   * @throws {SignInRefused} when the answer names no open sign-in of this browser
   * @throws {OidcRefused} when the answer is not valid
   */
  async signIn(req: SignInHttpRequest): Promise<VerifiedSignIn> {
    const connection = await this.pending.connectionOf(req, 'oidc');
    // As it came: Express would make lists of repeated names, and readers would differ about their value.
    const query = new URLSearchParams(rawQuery(req));
    const [state, ...others] = query.getAll('state');
    if (state === undefined || others.length > 0) {
      throw new SignInRefused('state_unknown', 'the answer names no sign-in, or more than one');
    }
    const { nonce, codeVerifier } = await this.pending.take(req, connection, state);
    return fromOidc(await this.protocol.finish(connection, query, { state, nonce, codeVerifier }));
  }
}
