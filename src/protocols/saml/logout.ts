import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { SamlSettings } from './saml-settings.js';
import { SamlRefused } from './saml-refused.js';
import { usable } from './certificates.js';
import { readLogoutMessage, type LogoutExpectations, type LogoutMessage } from './logout.rules.js';
import { skewOf } from './parts.rules.js';
import { readRedirect } from './redirect.rules.js';
import { signatureExcerpt } from './signature-form.rules.js';
import { isQuerySignedBy } from './signing.js';
import { signerRefusal } from './signer-refusal.rules.js';
import { checkLogoutShape } from './structure.rules.js';
import type { SamlVerifier } from './signature-verifier.js';
import { decodeBase64, decodeUtf8, MESSAGE_LIMITS, scanMessage, scanXml } from './xml-scan.js';

/** A logout message as it arrived: the raw query without its "?", or the fields of a form. */
export type ArrivedLogout =
  { binding: 'redirect'; rawQuery: string } | { binding: 'post'; form: ReadonlyMap<string, string> };

/** Where and when a logout message arrived. */
interface LogoutArrival {
  readonly sloUrl: string;
  readonly now: Date;
}

const inflate = promisify(inflateRaw);

/**
 * Verifies a logout message and reads it from the octets under the signature. Both bindings demand a signature.
 *
 * @throws {SamlRefused} for a message that is not accepted
 */
export async function readLogout(
  connection: SamlSettings,
  arrived: ArrivedLogout,
  { sloUrl, now }: LogoutArrival,
  verifier: SamlVerifier,
): Promise<LogoutMessage> {
  const expected = { idpEntityId: connection.idpEntityId, sloUrl, now, skewMs: skewOf(connection) };
  return arrived.binding === 'redirect'
    ? readQuery(connection, arrived.rawQuery, expected)
    : readForm(connection, arrived.form, expected, verifier);
}

async function readQuery(
  connection: SamlSettings,
  rawQuery: string,
  expected: Omit<LogoutExpectations, 'relayState'>,
): Promise<LogoutMessage> {
  const message = readRedirect(rawQuery);
  const certificates = usable(connection.certificates);
  if (!(await isQuerySignedBy(message, certificates))) throw signerRefusal([], certificates);
  const root = scanXml(await inflated(message.message));
  // The signature of the query covers all octets that are read here.
  checkLogoutShape(root, message.field === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse');
  return readLogoutMessage(root, { ...expected, relayState: message.relayState });
}

async function readForm(
  connection: SamlSettings,
  form: ReadonlyMap<string, string>,
  expected: Omit<LogoutExpectations, 'relayState'>,
  verifier: SamlVerifier,
): Promise<LogoutMessage> {
  const field = form.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const posted = form.get(field);
  if (posted === undefined || (field === 'SAMLRequest' && form.has('SAMLResponse'))) {
    throw new SamlRefused('binding_refused', 'The form must hold one SAMLRequest or one SAMLResponse.');
  }
  const bytes = decodeBase64(posted);
  const name = field === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse';
  const root = scanMessage(bytes);
  if (!checkLogoutShape(root, name)) {
    throw new SamlRefused('signature_missing', `The ${name} is not signed.`);
  }
  const certificates = usable(connection.certificates);
  const signatures = [{ xml: decodeUtf8(bytes), excerpt: signatureExcerpt(root) }];
  const { signed } = await verifier.verify(connection, { signatures, certificates });
  if (signed === null) throw signerRefusal([root], certificates);
  return readLogoutMessage(scanXml(signed[0]!), { ...expected, relayState: form.get('RelayState') ?? null });
}

/** Inflates a message to at most its permitted size, also when it is a bomb. */
async function inflated(deflated: Buffer): Promise<Buffer> {
  try {
    return await inflate(deflated, { maxOutputLength: MESSAGE_LIMITS.bytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new SamlRefused('message_too_large', `The message is too large: more than ${MESSAGE_LIMITS.bytes} bytes.`);
    }
    throw new SamlRefused('message_malformed', 'The message cannot be inflated.');
  }
}
