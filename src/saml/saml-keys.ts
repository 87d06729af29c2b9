/** A key pair of ours towards SAML IdPs, with the self-signed certificate that metadata wants. */
export interface SamlKeyPair {
  readonly id: string;
  /** PKCS#8, PEM. */
  readonly privateKey: string;
  /** PEM. */
  readonly certificate: string;
}

/** The installation's SAML keys: `current` signs; all of them still decrypt, newest first (rollover). */
export interface SamlKeys {
  readonly current: SamlKeyPair;
  readonly all: readonly SamlKeyPair[];
}

/** Where they come from; filled in by the room's key store, and by tests. */
export abstract class SamlKeySource {
  abstract samlKeys(): Promise<SamlKeys>;
}
