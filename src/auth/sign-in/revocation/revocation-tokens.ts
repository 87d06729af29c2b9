import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Clock } from '../../../base/clock.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection, SamlConnection } from '../../connections/connection.js';
import { ID_TOKEN_ALGS } from '../../../protocols/oidc/oidc-settings.js';
import { algsOf, type IdpKey } from '../../../protocols/oidc/jwks.rules.js';
import { readToken, type SignedToken } from '../../../protocols/oidc/jwt.rules.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { isTokenSignedBy } from '../../../protocols/oidc/signature.js';
import { usable } from '../../../protocols/saml/certificates.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { checkRevocationToken, type RevocationProof } from './revocation-token.rules.js';

const NAME = 'revocation token';

/** Verifies the bearer tokens of global token revocations with the keys of the connection. */
@Injectable()
export class RevocationTokens {
  constructor(
    private readonly oidc: OidcProtocol,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies a token: of OIDC with the key set of the issuer; of SAML with the pinned certificates, and the entity id
   * as issuer.
   *
   * @throws {SignInRefused} `token_refused` for the token
   * @throws {OidcRefused} `token_refused`; `idp_unreachable`, `idp_answer_invalid`, `issuer_mismatch` when the keys of
   *   the IdP cannot be read
   */
  async verify(connection: Connection, text: string): Promise<RevocationProof> {
    const issuer = connection.type === 'oidc' ? connection.issuer : connection.idpEntityId;
    const audience = this.addresses.globalTokenRevocation(connection.slug);
    const judge = (token: SignedToken) => checkRevocationToken(token, { issuer, audience }, this.clock.now());
    return connection.type === 'oidc'
      ? this.oidc.readPushedToken(connection, text, NAME, judge)
      : this.byCertificates(connection, text, judge);
  }

  private async byCertificates(
    connection: SamlConnection,
    text: string,
    judge: (token: SignedToken) => RevocationProof,
  ): Promise<RevocationProof> {
    try {
      const token = readToken(text, NAME, ID_TOKEN_ALGS);
      const proof = judge(token);
      const keys = usable(connection.certificates).map(keyOf);
      const fit = keys.filter(({ algs }) => algs.includes(token.header.alg));
      if (await isTokenSignedBy(connection.tenantId, token, fit)) return proof;
      throw new SignInRefused('token_refused', `The ${NAME} is signed with no certificate of the connection.`);
    } catch (error) {
      // For SAML nothing is fetched, so the token is the cause of every refusal.
      const refused = refusalIn(error);
      throw refused === null ? error : new SignInRefused('token_refused', refused.message);
    }
  }
}

function keyOf(pem: string): IdpKey {
  const jwk = new X509Certificate(pem).publicKey.export({ format: 'jwk' }) as JWK;
  return { kid: null, algs: algsOf({ ...jwk }), jwk };
}
