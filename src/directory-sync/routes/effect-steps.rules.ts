import type { Current, Decision, SeatState } from '../../tenancy/identity/held.rules.js';
import type { ConsoleAccess } from '../../tenancy/tenants/administrators.js';
import type { TenantView } from '../../tenancy/tenants/tenant.store.js';
import { consoleOf } from '../users/role.rules.js';

export interface Step<Value> {
  from: Value;
  to: Value;
}

export interface EffectSteps {
  role: Step<string | null>;
  /** Null when the user was never in force. */
  status: Step<'active' | 'inactive' | 'deleted' | null>;
  seat: Step<SeatState>;
  console: Step<ConsoleAccess>;
}

type Rights = Pick<TenantView, 'roles' | 'ownerUserId'>;

const RANK: Record<ConsoleAccess, number> = { none: 0, auditor: 1, admin: 2 };

/** `would` is the effective state after the act; null when the act deletes the user. */
export function stepsOf(tenant: Rights, userId: string, current: Current, would: Decision | null): EffectSteps {
  const isNew = current.status === 'inactive' && !current.everActive;
  // The role of a user who was never in force is the one that was written.
  const roleNow = isNew ? null : current.person.role;
  const roleThen = would?.inForce.role ?? null;
  const right = (status: string, role: string | null): ConsoleAccess => {
    if (status !== 'active') return 'none';
    return userId === tenant.ownerUserId ? 'admin' : consoleOf(tenant.roles, role);
  };
  return {
    role: { from: roleNow, to: roleThen },
    status: { from: isNew ? null : current.status, to: would?.inForce.status ?? 'deleted' },
    seat: { from: current.seat, to: would?.seat ?? 'none' },
    console: {
      from: right(current.status, current.person.role),
      to: would === null ? 'none' : right(would.inForce.status, roleThen),
    },
  };
}

export function losesConsole({ console }: EffectSteps): boolean {
  return RANK[console.to] < RANK[console.from];
}
