import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Candidate } from '../../../../src/auth/sign-in/accounts/account.rules.js';
import type { EmailClaimant } from '../../../../src/auth/sign-in/accounts/accounts.repository.js';
import type { ClaimedAccount } from '../../../../src/auth/sign-in/accounts/claims.mapping.js';
import {
  type ConnectionFacts,
  type Evidence,
  type IdentityDecision,
  isDisputed,
  resolveIdentity,
} from '../../../../src/auth/sign-in/accounts/resolve-identity.rules.js';
import type { StoredBinding } from '../../../../src/tenancy/sessions/session.js';

/** A case of a file: what differs from the defaults below. Users are named by their id. */
interface Case {
  name: string;
  connection?: Partial<ConnectionFacts>;
  account?: Partial<ClaimedAccount>;
  binding?: Partial<StoredBinding>;
  users?: Record<string, Partial<Candidate>>;
  bound?: string;
  byId?: string[];
  byUserName?: string[];
  byEmail?: string[];
  /** Who has an e-mail, or requests it. */
  has?: Record<string, string>;
  requests?: Record<string, string>;
  evidence?: Partial<Pick<Evidence, 'administrators' | 'ownsDomain' | 'domain' | 'deleted'>>;
  bindings?: Partial<StoredBinding>[];
  expected: Record<string, unknown>;
}

const CONNECTION: ConnectionFacts = {
  slug: 'acme',
  type: 'oidc',
  paired: false,
  claimIsNamed: false,
  emailTrust: 'domain',
  creates: false,
};
const ACCOUNT: ClaimedAccount = {
  subject: 'sub-ada',
  subjectIsStable: true,
  subjectIsEmail: false,
  link: null,
  userName: null,
  userNameIsEmail: false,
  email: null,
  emailTrusted: true,
  emailVerified: false,
  emailDomain: null,
  firstName: null,
  lastName: null,
  displayName: null,
  externalId: null,
  role: { kind: 'values', values: [] },
  shown: 'ada',
};
const BINDING: StoredBinding = {
  subject: 'sub-ada',
  user_id: 'ada',
  made_by: 'email',
  made_of: 'ada@acme.example',
  ended: false,
  removed: false,
};

function userOf(id: string, more: Partial<Candidate>): Candidate {
  return {
    id,
    directory_id: null,
    source: 'scim',
    status: 'active',
    seat: 'held',
    held: null,
    external_id: null,
    user_name: id,
    email: `${id}@acme.example`,
    gone: false,
    leaving: false,
    session_epoch: 1,
    ...more,
  };
}

function evidenceOf(one: Case): { binding: StoredBinding | null; evidence: Evidence } {
  const user = (id: string): Candidate => userOf(id, one.users?.[id] ?? {});
  const users = (ids: string[] = []): Candidate[] => ids.map(user);
  return {
    binding: one.binding === undefined ? null : { ...BINDING, ...one.binding },
    evidence: {
      connection: { ...CONNECTION, ...one.connection },
      account: { ...ACCOUNT, ...one.account },
      bound: one.bound === undefined ? null : user(one.bound),
      byId: users(one.byId),
      byUserName: users(one.byUserName),
      byEmail: users(one.byEmail),
      emailClaimants: [...claimantsOf(one.has, false), ...claimantsOf(one.requests, true)],
      administrators: [],
      ownsDomain: false,
      domain: 'unclaimed',
      boundTo: null,
      deleted: null,
      ...one.evidence,
      bindings: (one.bindings ?? []).map((more) => ({ ...BINDING, ...more })),
    },
  };
}

function claimantsOf(emails: Record<string, string> = {}, requests: boolean): EmailClaimant[] {
  return Object.entries(emails).map(([id, email_key]) => ({ id, email_key, directory_id: null, requests }));
}

/** A decision as the cases write it: the user by its id, and no message. */
function brief(decision: IdentityDecision): object {
  switch (decision.kind) {
    case 'keep':
      return { kind: 'keep', user: decision.user.id, made: made(decision.binding), newlyProven: decision.newlyProven };
    case 'rebind': {
      const { user, linkedBy, replaces, binding } = decision;
      return { kind: 'rebind', user: user.id, made: made(binding), linkedBy, replaces };
    }
    case 'create':
      return decision;
    case 'refuse':
      return { kind: 'refuse', reason: decision.reason, userId: decision.userId };
  }
}

function made({ made_by, made_of }: { made_by: string; made_of: string }): string {
  return `${made_by}:${made_of}`;
}

const directory = path.join(import.meta.dirname, 'cases');
const files = readdirSync(directory).filter((file) => file.endsWith('.json'));

describe.each(files)('%s', (file) => {
  const cases = JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as Case[];

  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const { binding, evidence } = evidenceOf(one);
    expect(brief(resolveIdentity(binding, evidence))).toEqual(expect.objectContaining(one.expected));
  });

  // What is not read for an undisputed binding must not matter to its decision.
  it.each(cases.map((one) => [one.name, one] as const))(
    'needs no other user for an undisputed binding: %s',
    (_name, one) => {
      const { binding, evidence } = evidenceOf(one);
      const { bound } = evidence;
      if (binding === null || binding.ended || bound === null || isDisputed(binding, bound, evidence)) return;
      const none = { byId: [], byUserName: [], byEmail: [], administrators: [], bindings: [], deleted: null };
      expect(resolveIdentity(binding, { ...evidence, ...none })).toEqual(resolveIdentity(binding, evidence));
    },
  );
});
