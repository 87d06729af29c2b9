import { Injectable } from '@nestjs/common';
import type { PresentedToken } from '../../base/crypto/tokens.js';
import { ScimTokenStore, type ScimCredential } from '../directories/scim-token.store.js';
import { AccessTokenStore } from './access-token.store.js';

/** Finds the credential of a SCIM request: a SCIM token of the directory, or an access token of one of its clients. */
@Injectable()
export class ScimCredentials {
  constructor(
    private readonly tokens: ScimTokenStore,
    private readonly accessTokens: AccessTokenStore,
  ) {}

  /**
   * Returns the credential of a text, and with it tenant and directory; the directory remembers a refusal and its reason.
   *
   * @throws {TooManyRequests} in place of null, when many wrong tokens of the same tenant came from this address
   */
  find(token: PresentedToken, from?: { ip?: string | undefined }): Promise<ScimCredential | null> {
    return token.parsed?.kind === 'tba' ? this.accessTokens.find(token, from) : this.tokens.find(token, from);
  }

  /** A valid credential came from a network that its directory does not admit: the directory remembers the address. */
  noteOutside(credential: ScimCredential, address: string | null): void {
    this.tokens.noteOutside(credential, address);
  }

  /** A header without a bearer token was refused: the directories of the tenant that it names remember why. */
  noteUnreadable(header: string, from?: string): void {
    this.tokens.noteUnreadable(header, from);
  }
}
