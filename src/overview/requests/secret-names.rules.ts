/** Parts of names whose values are secrets. */
const PARTS =
  /passw|pwd|pass.?(?:phrase|code|key)|secret|token|credential|authorization|api.?key|private.?key|(?:mfa|sms|otp).?code/i;
/** Short names of secrets: as a word of a name, since other words contain their letters. */
const WORDS = /(?<![a-z])(?:pin|[th]?otp|cv[cv])(?:.?(?:code|number))?(?![a-z])/;

/** A parameter of an address (RFC 3986 §3.4), also in its fragment. */
const PARAMETER = /([?&;#])([\w.~%-]{1,64})=([^&;#\s]+)/g;
/** Parameters of signed addresses, beside those with the name of a secret. */
const SIGNED = /^(?:sig|signature|x-amz-signature|key|code)$/i;
/** The password in an address (RFC 3986 §3.2.1). */
const USER_INFO = /(\/\/[^/?#@\s:]*):[^/?#@\s]+@/g;

/** Returns whether the value of an attribute, or of a path, is a secret by its name. */
export function isSecretName(name: string): boolean {
  return PARTS.test(name) || WORDS.test(name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase());
}

/** Returns a text in which the secrets of addresses are replaced. */
export function withoutSecretsInText(text: string, removed: string): string {
  return text
    .replace(USER_INFO, `$1:${removed}@`)
    .replace(PARAMETER, (all, before: string, name: string) =>
      SIGNED.test(name) || isSecretName(name) ? `${before}${name}=${removed}` : all,
    );
}
