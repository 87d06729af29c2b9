import type { RuleRole } from '../../../../src/directory-sync/users/role.rules.js';
import { documentOf, draftOf, type UserDraft } from '../../../../src/directory-sync/users/user.mapping.js';
import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';
import { rowAfter } from '../../../../src/directory-sync/users/write/user-write.rules.js';
import {
  NO_CONFLICTS,
  type WriteCase,
  type WritingDirectory,
} from '../../../../src/directory-sync/users/write/write-case.js';
import { planWrite } from '../../../../src/directory-sync/users/write/write-plan.rules.js';
import type { TenantView } from '../../../../src/tenancy/tenants/tenant.store.js';

/** The id and time of all writes in these specs. */
export const STAMP = { id: 'usr_new', at: new Date('2026-01-02T03:04:05.000Z') };

/** A tenant with two roles, one of which takes no seat, and one protected user. */
export const TENANT = {
  roles: new Map([
    ['User', { takesSeat: true, console: 'none' }],
    ['Guest', { takesSeat: false, console: 'none' }],
    ['Admin', { takesSeat: true, console: 'admin' }],
    ['Auditor', { takesSeat: false, console: 'auditor' }],
  ]),
  protectedUserIds: new Set(['usr_protected']),
  ownerUserId: null,
} as unknown as TenantView;

/** A live directory without rules. */
export const DIRECTORY: WritingDirectory = {
  id: 'dir',
  name: 'Okta',
  state: 'live',
  defaultRole: 'User',
  attributeMap: {},
  onMatch: 'link',
  takesOver: null,
  superseded: false,
  hasSuccessor: false,
  hasRules: false,
  ruleRoles: [],
  keepsWrites: false,
  mayGrantConsole: false,
  guard: 'off',
};

/** The draft of Ada, with some fields changed. */
export function draft(more: { active?: boolean; email?: string; first_name?: string } = {}): UserDraft {
  return draftOf(
    documentOf({
      userName: 'ada@example.com',
      email: more.email ?? 'ada@example.com',
      first_name: more.first_name ?? 'Ada',
      last_name: 'Lovelace',
      external_id: 'e-1',
      active: more.active ?? true,
    }),
  );
}

/** Roles that group rules give, each by a group of the same name. */
export function byRules(...roles: string[]): RuleRole[] {
  return roles.map((role) => ({ role, group: { id: `grp_${role}`, name: `${role}s` } }));
}

/** A case of a new user, by SCIM; without a directory, by the users API. */
export function caseOf(more: Partial<WriteCase> = {}, directory: WritingDirectory | null = DIRECTORY): WriteCase {
  return {
    ctx: { tenantId: 'ten', channel: directory === null ? 'api' : 'scim', directory, receivedAt: STAMP.at },
    tenant: TENANT,
    row: null,
    draft: draft(),
    roleSet: null,
    fromRules: [],
    released: null,
    ...more,
  };
}

/** The stored row of a user after its creation. */
export function stored(about = caseOf(), more: Partial<UserWithGroups> = {}): UserWithGroups {
  const { subject } = planWrite({ kind: 'create', about }, NO_CONFLICTS, STAMP)!;
  if (subject.kind !== 'insert') throw new Error('a creation inserts');
  return { ...rowAfter(null, subject.write), ...more };
}
