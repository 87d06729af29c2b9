import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import { claimedAccount } from '../accounts/claims.mapping.js';
import type { Connection } from '../connections/connection.js';
import type { TestResult } from '../pages/pages.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';

const MAX_CLAIMS = 200;
const MAX_VALUE = 500;

/** What a test sign-in that went through shows: the fields as they would be used, and everything that the IdP sent. */
export function workingTest(connection: Connection, verified: VerifiedSignIn, outcome: string): TestResult {
  return { ...shown(connection, verified), outcome, accepted: true };
}

/** The same for one that was refused; what was verified before that is shown all the same. */
export function failedTest(connection: Connection, outcome: string, verified: VerifiedSignIn | null): TestResult {
  const empty = { connection: connection.name, claims: [], fields: [] };
  return { ...(verified === null ? empty : shown(connection, verified)), outcome, accepted: false };
}

function shown(connection: Connection, verified: VerifiedSignIn): Omit<TestResult, 'outcome' | 'accepted'> {
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
    ['equals SCIM externalId', account.link],
    ['user name', account.userName],
    [
      'e-mail',
      account.email === null ? null : `${account.email}${account.emailTrusted ? '' : ' (not verified, says the IdP)'}`,
    ],
    ['first name', account.firstName],
    ['last name', account.lastName],
    ['role values', account.roleValues?.join(', ') ?? null],
    ['external id', account.externalId],
    ['authentication', verified.authContext],
    ...(verified.leftOut?.length ? [['left out', verified.leftOut.join('; ')] as [string, string]] : []),
    ...(verified.userInfoProblem ? [['UserInfo', verified.userInfoProblem] as [string, string]] : []),
  ];
  return rows.map(([name, value]) => [name, value ?? '–'] as const);
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
