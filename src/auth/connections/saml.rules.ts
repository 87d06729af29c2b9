import { X509Certificate } from 'node:crypto';
import type { FieldError } from '../../base/errors/domain-error.js';
import { base64Of, certificateProblem, pemOf } from '../../protocols/saml/certificate.rules.js';
import type { PinnedCertificate, CommonSettings, IdpSettings, StoredSamlSettings } from './connection.js';
import { certificateText, type ConnectionFields } from './dto.js';
import { browserAddressProblem, calledAddressProblem, chosen, type InstallationPermits } from './settings.rules.js';

const CERTIFICATE_NOTICE_DAYS = [60, 30, 7] as const;
const DAY = 86_400_000;

/**
 * Normalises certificates for pinning: one spelling of PEM, no duplicates; known ones keep their date.
 *
 * @param texts PEM or bare base64
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

export function sameCertificate(one: string, other: string): boolean {
  return base64Of(one) === base64Of(other);
}

/** `days`: one of `CERTIFICATE_NOTICE_DAYS`, or 0 when the certificate has ended. */
interface ExpiryNote {
  fingerprint: string;
  not_after: Date;
  days: number;
}

/**
 * Returns the certificates that have passed a mark (60, 30, 7 days, the end) since the last look, each at its nearest mark. For
 * a certificate added since, every mark counts.
 *
 * @param last null before the first look
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

const ENDPOINT_FIELDS = [
  'sso_url',
  'sso_binding',
  'slo_url',
  'slo_binding',
  'slo_response_url',
  'certificates',
] as const;
const IDP_FIELDS = ['idp_entity_id', ...ENDPOINT_FIELDS] as const;

type IdpSource = { kind: 'fields' } | { kind: 'url'; url: string } | { kind: 'xml'; xml: string };

/** Returns the source that a request names. A new connection names exactly one, a change at most one. */
export function idpSourceOf(
  before: StoredSamlSettings | null,
  input: ConnectionFields,
  { allowPrivate }: InstallationPermits,
  errors: FieldError[],
): IdpSource {
  const url = input.metadata_url != null && input.metadata_url !== before?.metadata_url ? input.metadata_url : null;
  const xml = input.metadata_xml ?? null;
  // Beside metadata, the entity id chooses one of several IdPs.
  const beside = url !== null || xml !== null ? ENDPOINT_FIELDS : IDP_FIELDS;
  const byFields = before === null && beside.some((field) => input[field] != null);
  const named = [url !== null, xml !== null, byFields].filter(Boolean).length;
  if (named > 1 || (named === 0 && before === null)) {
    const message = 'name exactly one of metadata_url, metadata_xml, or idp_entity_id with sso_url and certificates';
    errors.push({ field: url === null ? 'metadata_xml' : 'metadata_url', message });
  }
  const kept = input.metadata_url === undefined ? (before?.metadata_url ?? null) : input.metadata_url;
  if (xml !== null && before !== null && kept !== null && url === null) {
    errors.push({ field: 'metadata_xml', message: 'would be overwritten from metadata_url: set that to null' });
  }
  if (url !== null) {
    const problem = calledAddressProblem(url, allowPrivate);
    if (problem !== null) errors.push({ field: 'metadata_url', message: problem });
    return { kind: 'url', url };
  }
  return xml === null ? { kind: 'fields' } : { kind: 'xml', xml };
}

export function idpByFields(
  before: StoredSamlSettings | null,
  input: ConnectionFields,
  now: Date,
  { allowPrivate }: InstallationPermits,
  errors: FieldError[],
): IdpSettings {
  const after: IdpSettings = {
    idp_entity_id: chosen(input.idp_entity_id, before?.idp_entity_id, ''),
    sso_url: chosen(input.sso_url, before?.sso_url, ''),
    sso_binding: chosen(input.sso_binding, before?.sso_binding, 'redirect'),
    slo_url: chosen(input.slo_url, before?.slo_url, null),
    slo_binding: chosen(input.slo_binding, before?.slo_binding, 'redirect'),
    slo_response_url: chosen(input.slo_response_url, before?.slo_response_url, null),
    certificates: before?.certificates ?? [],
    // That of metadata is dropped when the metadata is no longer read.
    metadata_cache_seconds: input.metadata_url === null ? null : (before?.metadata_cache_seconds ?? null),
  };
  if (input.certificates !== undefined) {
    const result = pinned(
      input.certificates.map((one) => certificateText(one)!),
      after.certificates,
      now,
    );
    if ('problem' in result) errors.push({ field: 'certificates', message: result.problem });
    else after.certificates = result.certificates;
  }
  if (after.idp_entity_id === '') errors.push({ field: 'idp_entity_id', message: 'is required' });
  if (after.certificates.length === 0 && input.certificates === undefined) {
    errors.push({ field: 'certificates', message: 'is required' });
  }
  if (after.sso_url === '') errors.push({ field: 'sso_url', message: 'is required' });
  for (const field of ['sso_url', 'slo_url', 'slo_response_url'] as const) {
    const url = after[field];
    const problem =
      url === null || url === '' || url === before?.[field] ? null : browserAddressProblem(url, allowPrivate);
    if (problem !== null) errors.push({ field, message: problem });
  }
  const url = input.metadata_url === undefined ? (before?.metadata_url ?? null) : input.metadata_url;
  if (before !== null && url !== null) {
    for (const field of IDP_FIELDS) {
      if (JSON.stringify(after[field]) === JSON.stringify(before[field])) continue;
      errors.push({ field, message: 'comes from metadata_url: set that to null to set it by hand' });
    }
  }
  return after;
}

export function signersAfter(
  before: StoredSamlSettings | null,
  input: ConnectionFields,
  now: Date,
  errors: FieldError[],
): PinnedCertificate[] {
  const known = before?.metadata_certificates ?? [];
  if (input.metadata_certificates === undefined) return known;
  const result = pinned(
    input.metadata_certificates.map((one) => certificateText(one)!),
    known,
    now,
  );
  if ('certificates' in result) return result.certificates;
  errors.push({ field: 'metadata_certificates', message: result.problem });
  return known;
}

export function samlAfter(
  before: StoredSamlSettings | null,
  input: ConnectionFields,
  common: CommonSettings,
  idp: IdpSettings,
  signers: PinnedCertificate[],
): StoredSamlSettings {
  const subjectClaim = chosen(input.subject_claim, before?.subject_claim ?? null, null);
  return {
    ...common,
    ...idp,
    ...(subjectClaim === null ? {} : { subject_claim: subjectClaim }),
    metadata_url: chosen(input.metadata_url, before?.metadata_url, null),
    metadata_certificates: signers,
    signed: chosen(input.signed, before?.signed, 'assertion'),
    sign_requests: chosen(input.sign_requests, before?.sign_requests, true),
    allow_idp_initiated: chosen(input.allow_idp_initiated, before?.allow_idp_initiated, false),
    name_id_format: chosen(input.name_id_format, before?.name_id_format, null),
    sp_entity_id: chosen(input.sp_entity_id, before?.sp_entity_id, null),
    clock_skew_seconds: chosen(input.clock_skew_seconds, before?.clock_skew_seconds, 60),
    authn_contexts: chosen(input.authn_contexts, before?.authn_contexts, []),
  };
}
