import type { Connection } from '../../connections/connection.js';
import { type ClaimedAccount, claimedAccount } from '../accounts/claims.mapping.js';
import type { TestResult } from '../pages/pages.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import type { SignInRefusalReason } from '../sign-in.errors.js';

const MAX_CLAIMS = 200;
const MAX_VALUE = 500;

export function workingTest(connection: Connection, verified: VerifiedSignIn, outcome: string): TestResult {
  const next = connection.enabled
    ? 'The connection is enabled: users can sign in through it.'
    : `Enable the connection: talent-bridge connection enable ${connection.slug}`;
  return { ...shown(connection, verified), outcome, next, accepted: true };
}

export function failedTest(
  connection: Connection,
  refused: { reason: SignInRefusalReason; outcome: string },
  verified: VerifiedSignIn | null,
): TestResult {
  const empty = { connection: connection.name, claims: [], fields: [] };
  const { outcome, reason } = refused;
  const next = nextStepAfter(reason, connection.slug);
  return { ...(verified === null ? empty : shown(connection, verified)), outcome, next, accepted: false };
}

function shown(connection: Connection, verified: VerifiedSignIn): Omit<TestResult, 'outcome' | 'next' | 'accepted'> {
  return {
    connection: connection.name,
    fields: fieldsOf(claimedAccount(connection, verified), verified),
    claims: Object.entries(verified.claims)
      .slice(0, MAX_CLAIMS)
      .map(([name, value]) => [name, textOf(value)] as const),
  };
}

function fieldsOf(account: ClaimedAccount, verified: VerifiedSignIn): (readonly [string, string])[] {
  const rows: [string, string | null][] = [
    ['subject', account.subject],
    ...(verified.nameId === null
      ? []
      : ([
          ['NameID', verified.nameId.value],
          ['NameID format', verified.nameId.format],
        ] as [string, string | null][])),
    ['signed', verified.signature ?? null],
    ['equals SCIM externalId', account.link],
    ['user name', account.userName],
    [
      'e-mail',
      account.email === null ? null : `${account.email}${account.emailTrusted ? '' : ' (the IdP calls it unverified)'}`,
    ],
    ['first name', account.firstName],
    ['last name', account.lastName],
    ['role values', account.role.kind === 'values' ? account.role.values.join(', ') || null : account.role.why],
    ['external id', account.externalId],
    ['authentication', verified.authContext],
    ...(verified.leftOut?.length ? [['left out', verified.leftOut.join('; ')] as [string, string]] : []),
    ...(verified.userInfoProblem ? [['UserInfo', verified.userInfoProblem] as [string, string]] : []),
  ];
  return rows.map(([name, value]) => [name, value ?? '–'] as const);
}

function nextStepAfter(reason: SignInRefusalReason, slug: string): string {
  switch (reason) {
    case 'signature_invalid':
      return `Compare the certificate with the one that the IdP shows, then run the command above; see it by: talent-bridge connection show ${slug}`;
    case 'audience_mismatch':
    case 'recipient_mismatch':
    case 'destination_mismatch':
      return `Compare the addresses at the IdP with those of: talent-bridge connection show ${slug}`;
    case 'email_outside_domains':
      return 'Verify the domain of the e-mail, and bind it to this connection: talent-bridge domain add';
    case 'unknown_account':
      return 'Let the directory send this user, or compare the link claim with SCIM externalId.';
    case 'bound_to_another':
      return `Compare both subjects. To forget the old one: talent-bridge connection forget-subjects ${slug} --dry-run`;
    case 'token_expired':
    case 'assertion_expired':
    case 'assertion_not_yet_valid':
    case 'token_not_yet_valid':
      return 'Compare the clocks of the IdP and of this service.';
    default:
      return `Correct the problem in the line above, then make a new test: talent-bridge connection test ${slug}`;
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
