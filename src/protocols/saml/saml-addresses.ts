/** Our addresses that SAML messages name. */
export abstract class SamlAddresses {
  /** The assertion consumer service of a connection. */
  abstract callback(slug: string): string;
  /** The single logout service of a connection. */
  abstract slo(slug: string): string;
}
