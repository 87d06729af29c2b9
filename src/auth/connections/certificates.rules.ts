import { X509Certificate } from 'node:crypto';
import { base64Of, certificateProblem, pemOf } from '../../protocols/saml/certificate.rules.js';
import type { PinnedCertificate } from './connection.settings.js';

/** Days before the end of a certificate at which a notice is logged. */
const CERTIFICATE_NOTICE_DAYS = [60, 30, 7] as const;
const DAY = 86_400_000;

/**
 * Normalises certificates for pinning: one spelling of PEM, no duplicates; known ones keep their date.
 *
 * @param texts PEM or bare base64
 * @returns the certificates, or what is wrong with the first unusable one
 */
export function pinned(
  texts: readonly string[],
  before: readonly PinnedCertificate[],
  now: Date,
): { certificates: PinnedCertificate[] } | { problem: string } {
  const certificates: PinnedCertificate[] = [];
  for (const [i, text] of texts.entries()) {
    const given = pemOf(text) ?? (text.includes('-----BEGIN') ? text : null);
    const problem = given === null ? 'is neither PEM nor base64' : certificateProblem(given);
    if (problem !== null) return { problem: `certificate ${i + 1} of ${texts.length} ${problem}` };
    const pem = new X509Certificate(given!).raw.toString('base64');
    const one = pemOf(pem)!;
    if (certificates.some((known) => known.pem === one)) continue;
    certificates.push(before.find((known) => known.pem === one) ?? { pem: one, added_at: now.toISOString() });
  }
  return { certificates };
}

/** Maps a pinned certificate to the API. */
export function certificateFacts({ pem, added_at }: PinnedCertificate): {
  pem: string;
  fingerprint: string;
  not_after: Date;
  added_at: string;
} {
  const certificate = new X509Certificate(pem);
  return { pem, fingerprint: certificate.fingerprint256, not_after: new Date(certificate.validTo), added_at };
}

/** Whether two texts are the same certificate. */
export function sameCertificate(one: string, other: string): boolean {
  return base64Of(one) === base64Of(other);
}

/** A certificate near its end. `days`: one of `CERTIFICATE_NOTICE_DAYS`, or 0 when it has ended. */
export interface ExpiryNote {
  fingerprint: string;
  not_after: Date;
  days: number;
}

/**
 * Returns the certificates that have passed a mark (60, 30, 7 days, the end) since the last look, each at its nearest
 * mark. For a certificate added since, every mark counts.
 *
 * @param last the last look; null: never
 */
export function expiryNotes(certificates: readonly PinnedCertificate[], last: Date | null, now: Date): ExpiryNote[] {
  return certificates.flatMap((certificate) => {
    const { fingerprint, not_after } = certificateFacts(certificate);
    const since = last === null || Date.parse(certificate.added_at) >= last.getTime() ? -Infinity : last.getTime();
    const passed = [...CERTIFICATE_NOTICE_DAYS, 0].filter((days) => {
      const mark = not_after.getTime() - days * DAY;
      return mark > since && mark <= now.getTime();
    });
    return passed.length === 0 ? [] : [{ fingerprint, not_after, days: Math.min(...passed) }];
  });
}
