import { SamlRefused } from './saml-refused.js';
import { usable } from './certificates.js';
import { MetadataProblem, readRoot, tidied } from './metadata.rules.js';
import { signatureExcerpt } from './signature-form.rules.js';
import { checkMetadataShape } from './structure.rules.js';
import type { JobOwner, SamlVerifier } from './signature-verifier.js';

/**
 * Demands that metadata is signed as a whole, by one of these certificates (SAML Metadata §3).
 *
 * @param certificates in PEM
 * @param owner the connection, for the queue of the verifier
 * @returns the octets under the signature; they alone may be used
 * @throws {MetadataProblem} when they are not
 */
export async function demandSignedMetadata(
  xml: string,
  certificates: readonly string[],
  owner: JobOwner,
  verifier: SamlVerifier,
): Promise<string> {
  const root = readRoot(xml);
  try {
    if (!checkMetadataShape(root)) throw new MetadataProblem('The metadata is not signed, as this connection demands.');
    const signatures = [{ xml: tidied(xml), excerpt: signatureExcerpt(root) }];
    const { signed } = await verifier.verify(owner, { signatures, certificates: usable(certificates) });
    if (signed !== null) return signed[0]!;
  } catch (error) {
    if (!(error instanceof SamlRefused)) throw error;
    throw new MetadataProblem(error.message.replace(/^The message/, 'The metadata'));
  }
  throw new MetadataProblem('The metadata is not signed by any of the certificates that this connection demands.');
}
