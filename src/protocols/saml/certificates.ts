import { hash } from 'node:crypto';
import { SamlRefused } from './saml-refused.js';
import { certificateProblem } from './certificate.rules.js';
import { listOfCertificates } from './signer-refusal.rules.js';

/** The results for certificates seen before; those of a connection stay the same for months. */
const judged = new Map<string, boolean>();
const MAX_REMEMBERED = 1000;

/** The words for certificates that made a signature. */
const described = new Map<string, string>();

/** As `listOfCertificates`, for certificates that sign again and again: reading one takes as long as verifying. */
export function describedSigners(pems: readonly string[]): string {
  const key = hash('sha256', pems.join('\n'), 'base64url');
  const known = described.get(key);
  if (known !== undefined) return known;
  const words = listOfCertificates(pems);
  if (described.size >= MAX_REMEMBERED) described.clear();
  described.set(key, words);
  return words;
}

/**
 * Returns those of a connection's pinned certificates that may verify signatures.
 *
 * @throws {SamlRefused} `signature_invalid` when there is none
 */
export function usable(certificates: readonly string[]): string[] {
  const found = certificates.filter(isUsable);
  if (found.length === 0) {
    throw new SamlRefused('signature_invalid', 'The connection has no certificate that could verify a signature.');
  }
  return found;
}

function isUsable(pem: string): boolean {
  // By hash, because a PEM may have 16 KiB.
  const key = hash('sha256', pem, 'base64url');
  const known = judged.get(key);
  if (known !== undefined) return known;
  const good = certificateProblem(pem) === null;
  if (judged.size >= MAX_REMEMBERED) judged.clear();
  judged.set(key, good);
  return good;
}
