/** What an IdP may send: one row of the table of dialects each. */
export const PROFILES = ['tolerant', 'entra', 'okta', 'strict', 'ipsie'] as const;
export type Profile = (typeof PROFILES)[number];
export type DirectoryState = 'live' | 'preview';
export type OnMatch = 'link' | 'refuse';

/** Which SCIM attribute feeds a field of ours; what is not named takes the usual way. */
export interface AttributeMap {
  external_id?: string;
  email?: string;
  first_name?: string;
  last_name?: string;
}

/** The attributes that may feed each field. */
export const MAPPABLE = {
  external_id: ['externalId', 'userName', 'employeeNumber'],
  email: ['emails', 'userName', 'externalId'],
  first_name: ['name.givenName', 'nickName', 'displayName', 'name.formatted'],
  last_name: ['name.familyName', 'displayName', 'name.formatted'],
} as const satisfies Record<keyof AttributeMap, readonly string[]>;

/** When so many leave at once that an admin has to look first. */
export interface GuardFigures {
  /** Share of the directory's people, or so many of them, whichever is fewer … */
  percent: number;
  people: number;
  /** … and at least so many … */
  at_least: number;
  /** … within so many minutes; */
  within_minutes: number;
  /** or this share within a day. */
  day_percent: number;
}

export type Guard = GuardFigures | 'off';

export const GUARD_DEFAULTS: GuardFigures = {
  percent: 20,
  people: 200,
  at_least: 10,
  within_minutes: 60,
  day_percent: 30,
};

/** A directory as the SCIM door needs it with every request. */
export interface Directory {
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  readonly profile: Profile;
  readonly state: DirectoryState;
  /** Null: none yet. */
  readonly defaultRole: string | null;
  readonly attributeMap: AttributeMap;
  readonly onMatch: OnMatch;
  readonly takesOver: string | null;
  /** Another directory has taken this one over: what it writes has no effect any more. */
  readonly superseded: boolean;
  readonly supersededBy: string | null;
  /** Another directory takes over this one, in preview or live. */
  readonly hasSuccessor: boolean;
  /** `replace` through a value path that matches nothing makes the value, in place of 400 noTarget. */
  readonly replaceCreatesMissing: boolean;
  readonly guard: Guard;
  readonly hasRules: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The tenant's own base address; null: the installation's. */
  readonly baseUrl: string | null;
}

/** The guard as it is stored: only what differs from the defaults. */
export function guardOf(stored: { off?: boolean } & Partial<GuardFigures>): Guard {
  if (stored.off === true) return 'off';
  const { off: _, ...figures } = stored;
  return { ...GUARD_DEFAULTS, ...figures };
}
