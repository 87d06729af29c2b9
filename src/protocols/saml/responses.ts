import { isDeepStrictEqual } from 'node:util';
import type { SamlAnswer } from './answer.js';
import { readAssertion, statusProblem } from './assertion.rules.js';
import { describedSigners, usable } from './certificates.js';
import { decrypt } from './decrypt.js';
import { readEncrypted, type EncryptedParts } from './encryption.rules.js';
import { NS } from './names.js';
import { skewOf } from './parts.rules.js';
import { SamlRefused } from './saml-refused.js';
import type { SamlSettings, SamlKeys, SamlSignIn } from './saml-settings.js';
import { signatureExcerpt } from './signature-form.rules.js';
import type { SamlVerifier } from './signature-verifier.js';
import { signerRefusal } from './signer-refusal.rules.js';
import { checkDecryptedAssertion, demandSignatures } from './structure.rules.js';
import { decodeUtf8, scanMessage, scanXml } from './xml-scan.js';
import { attributeOf, childrenOf, type XmlElement } from './xml-tree.js';

/** What the verification of an answer takes besides the answer and its connection. */
export interface Verification {
  readonly acsUrl: string;
  readonly requestId: string | null;
  readonly now: Date;
  readonly keys: SamlKeys;
  readonly verifier: SamlVerifier;
}

/**
 * Verifies an answer: each signature in it, the signatures that the connection demands, and then the contents. After
 * that only the octets under the signature are read.
 *
 * @throws {SamlRefused} for an answer that is not accepted
 */
export async function verifyAnswer(
  connection: SamlSettings,
  answer: SamlAnswer,
  { acsUrl, requestId, now, keys, verifier }: Verification,
): Promise<SamlSignIn> {
  const { shape } = answer;
  // An unsigned answer without success is refused as well: forging it gains nothing.
  const problem = statusProblem(shape.root);
  if (problem !== null) throw problem;
  const certificates = usable(connection.certificates);
  const opened = shape.encrypted ? await openAssertion(connection, answer, certificates, keys, verifier) : null;
  demandSignatures(shape, connection.signed, opened?.signed);
  const skewMs = skewOf(connection);
  const { idpEntityId, spEntityId } = connection;
  const assertionSigned = opened === null ? shape.assertionSigned : opened.signed;
  const message = decodeUtf8(answer.message);
  const { signed: octets, signers } = await verifier.verify(connection, {
    signatures: [
      ...(shape.responseSigned ? [{ xml: message, excerpt: signatureExcerpt(shape.root) }] : []),
      ...(assertionSigned
        ? [{ xml: opened?.xml ?? message, excerpt: signatureExcerpt(opened?.root ?? shape.assertion!) }]
        : []),
    ],
    certificates,
  });
  const invalid = (): SamlRefused => signerRefusal([shape.root, opened?.root ?? shape.assertion], certificates);
  if (octets === null) throw invalid();
  // The octets of the outermost signature, which covers the inner one.
  const signed = scanXml(octets[0]!);
  const assertion = shape.responseSigned ? assertionWithin(signed, opened) : signed;
  if (assertion === null || !isSame(assertion, opened?.root ?? shape.assertion)) throw invalid();
  const response = shape.responseSigned ? signed : shape.root;
  const signIn = readAssertion(assertion, response, {
    idpEntityId,
    spEntityId,
    acsUrl,
    requestId,
    allowIdpInitiated: connection.allowIdpInitiated,
    authnContexts: connection.authnContexts,
    subjectClaim: connection.subjectClaim,
    responseSigned: shape.responseSigned,
    now,
    skewMs,
  });
  const what = [shape.responseSigned ? 'the Response' : null, assertionSigned ? 'the assertion' : null];
  const encrypted = opened === null ? '' : ', encrypted';
  const names = describedSigners(signers);
  return { ...signIn, signature: `${what.filter(Boolean).join(' and ')}${encrypted}, by the certificate ${names}` };
}

interface Opened {
  readonly parts: EncryptedParts;
  readonly xml: string;
  readonly root: XmlElement;
  readonly signed: boolean;
}

/**
 * Decrypts the assertion and checks its structure like that of a message, since anybody with our public key can make
 * one. AES-CBC is decrypted only under a verified Response signature, so that ciphertexts cannot be varied.
 */
async function openAssertion(
  connection: SamlSettings,
  { shape, message }: SamlAnswer,
  certificates: readonly string[],
  keys: SamlKeys,
  verifier: SamlVerifier,
): Promise<Opened> {
  if (connection.signed !== 'assertion') demandSignatures(shape, 'response');
  const parts = readEncrypted(shape.assertion as XmlElement, shape.responseSigned);
  if (parts.cipher.endsWith('cbc')) {
    const signatures = [{ xml: decodeUtf8(message), excerpt: signatureExcerpt(shape.root) }];
    const { signed } = await verifier.verify(connection, { signatures, certificates });
    if (signed === null) throw signerRefusal([shape.root], certificates);
  }
  const xml = decrypt(parts, keys.all);
  const root = scanMessage(xml);
  return { parts, xml, root, signed: checkDecryptedAssertion(root, shape.root) };
}

/**
 * Returns the assertion of a verified Response: the plain one, or the decrypted one where the Response holds the same
 * ciphertext; null: it holds neither.
 */
function assertionWithin(response: XmlElement, opened: Opened | null): XmlElement | null {
  const name = opened === null ? 'Assertion' : 'EncryptedAssertion';
  const [found, second] = childrenOf(response, NS.assertion, name);
  if (found === undefined || second !== undefined) return null;
  if (opened === null) return found;
  return isDeepStrictEqual(readEncrypted(found, true), opened.parts) ? opened.root : null;
}

function isSame(verified: XmlElement, seen: XmlElement | null): boolean {
  return seen !== null && attributeOf(verified, 'ID') === attributeOf(seen, 'ID');
}
