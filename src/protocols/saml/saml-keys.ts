/** One of our key pairs for SAML, with its self-signed certificate. */
export interface SamlKeyPair {
  readonly id: string;
  /** PKCS#8, PEM. */
  readonly privateKey: string;
  /** PEM. */
  readonly certificate: string;
}

/** The SAML keys of the installation. `current` signs; all of them decrypt, newest first, while keys roll over. */
export interface SamlKeys {
  readonly current: SamlKeyPair;
  readonly all: readonly SamlKeyPair[];
}

/** The source of our SAML keys, a port for the key store. */
export abstract class SamlKeySource {
  abstract samlKeys(): Promise<SamlKeys>;
}
