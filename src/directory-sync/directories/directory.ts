import type { AllowedNetworks } from '../../base/http/allowed-networks.js';
import type { Profile } from '../../protocols/scim/dialects/dialects.js';
import type { CustomAttribute } from '../../protocols/scim/schema/user.schema.js';
import type { Repeatable } from '../../tenancy/idempotency/idempotency-keys.js';
import type { Actor, ChangeSource } from '../../tenancy/identity/person.js';

/** `live`: writes take effect. `preview`: writes are stored, and their effects are shown. */
export type DirectoryState = 'live' | 'preview';

/** What happens when a new resource matches an existing user: the two are linked, or the request is refused. */
export type OnMatch = 'link' | 'refuse';

/** The SCIM attributes of the platform's fields. Fields that are left out use the default attribute. */
export interface AttributeMap {
  external_id?: string;
  email?: string;
  first_name?: string;
  last_name?: string;
}

export const MAPPABLE = {
  external_id: ['externalId', 'userName', 'employeeNumber'],
  email: ['emails', 'userName', 'externalId'],
  first_name: ['name.givenName', 'nickName', 'displayName', 'name.formatted'],
  last_name: ['name.familyName', 'displayName', 'name.formatted'],
} as const satisfies Record<keyof AttributeMap, readonly string[]>;

/** The guard against mass removals: above these figures an administrator decides first. */
export interface GuardFigures {
  percent: number;
  people: number;
  /** The figures apply from this number of leaving users. */
  at_least: number;
  within_minutes: number;
  day_percent: number;
}

/** The guard of a directory: its figures, or `off`. */
export type Guard = GuardFigures | 'off';

export const GUARD_DEFAULTS: GuardFigures = {
  percent: 20,
  people: 200,
  at_least: 10,
  within_minutes: 60,
  day_percent: 30,
};

/** A directory with the settings that each SCIM request needs. */
export interface Directory {
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  readonly profile: Profile;
  readonly state: DirectoryState;
  /** Null when the role is not decided yet. */
  readonly defaultRole: string | null;
  readonly attributeMap: AttributeMap;
  readonly onMatch: OnMatch;
  readonly takesOver: string | null;
  /** Another live directory has taken this one over: its writes have no effect. */
  readonly superseded: boolean;
  readonly supersededBy: string | null;
  /** Another directory takes over this one, in preview or live. */
  readonly hasSuccessor: boolean;
  /** `replace` with a value path that matches nothing adds the value, in place of 400 noTarget. */
  readonly replaceCreatesMissing: boolean;
  readonly guard: Guard;
  readonly hasRules: boolean;
  readonly ruleRoles: readonly string[];
  /** Writes wait for an administrator: the directory reads its own writes, other callers the unchanged users. */
  readonly keepsWrites: boolean;
  /** SCIM `roles` may give a role whose holders administer the tenant. */
  readonly mayGrantConsole: boolean;
  readonly networks: AllowedNetworks;
  readonly customAttributes: readonly CustomAttribute[];
  /** Milliseconds since 1970. Directories of one week share the first day. */
  readonly firstDayFrom: number;
  /** The tenant's own base address; null for that of the installation. */
  readonly baseUrl: string | null;
}

/** Returns the guard of a directory. The stored form holds only differences from the defaults. */
export function guardOf(stored: { off?: boolean } & Partial<GuardFigures>): Guard {
  if (stored.off === true) return 'off';
  const { off: _, ...figures } = stored;
  return { ...GUARD_DEFAULTS, ...figures };
}

/** A stored attribute of the customer. A removed one keeps its type, since users may have values of it. */
export interface StoredCustomAttribute extends CustomAttribute {
  readonly removed?: true;
}

export function declaredOf(stored: readonly StoredCustomAttribute[]): CustomAttribute[] {
  return stored.filter(({ removed }) => removed !== true);
}

/** A request that changes the administration of a tenant. */
export interface AdminRequest extends Repeatable {
  tenantId: string;
  actor: Actor;
  /** Null when the change comes from the service itself. */
  requestId: string | null;
}

export function adminSourceOf(by: AdminRequest, directoryId: string): ChangeSource {
  return { request_id: by.requestId ?? '', surface: 'api', directory_id: directoryId, actor: by.actor };
}
