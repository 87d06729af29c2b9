import { ENTRA, HARMLESS, OKTA, ONELOGIN, OTHERS, VALUE_LISTS, type Quirk, type Quirks } from './quirks.js';

/** The profile of a directory: the name of a dialect. */
export type Profile = 'tolerant' | 'entra' | 'okta' | 'strict' | 'ipsie';

/** Switches of a directory that an administrator sets apart from its profile. */
export interface DirectorySwitches {
  /**
   * `replace` with a value path that matches nothing adds the value, instead of 400 noTarget (RFC 7644 §3.5.2.3). Entra
   * sends `replace` where its copy of the user is outdated.
   */
  readonly replaceCreatesMissing: boolean;
}

/** How requests are read: one flag for each leniency. */
export interface Dialect extends Quirks, DirectorySwitches {
  readonly profile: Profile;
  /**
   * Whether /Schemas declares `password`, so that a PATCH may name it. A body may always contain it; the value is
   * dropped.
   */
  readonly passwordInSchema: boolean;
}

/**
 * The profiles. A row lists only differences from `strict`, which is stricter than the RFC: it refuses PATCH operations
 * without a path and unknown attributes. The default accepts every quirk.
 */
const PROFILES: Record<Profile, { quirks: readonly Quirk[]; passwordInSchema?: false }> = {
  tolerant: { quirks: [...HARMLESS, ...ENTRA, ...OKTA, ...ONELOGIN, ...VALUE_LISTS, ...OTHERS] },
  entra: { quirks: [...HARMLESS, ...ENTRA] },
  okta: { quirks: [...HARMLESS, ...OKTA] },
  strict: { quirks: [] },
  ipsie: { quirks: [], passwordInSchema: false },
};

const DIALECTS = new Map<string, Dialect>();
for (const profile of Object.keys(PROFILES) as Profile[]) {
  for (const replaceCreatesMissing of [false, true]) {
    DIALECTS.set(`${profile} ${replaceCreatesMissing}`, dialect(profile, { replaceCreatesMissing }));
  }
}

/** The names of all profiles. */
export const PROFILE_NAMES = Object.keys(PROFILES) as readonly Profile[];

/** Returns the dialect of a profile; the same object for the same arguments. */
export function dialectOf(profile: Profile, switches?: Partial<DirectorySwitches>): Dialect {
  const found = DIALECTS.get(`${profile} ${switches?.replaceCreatesMissing ?? false}`);
  if (found === undefined) throw new Error(`There is no profile "${profile}".`);
  return found;
}

function dialect(profile: Profile, switches: DirectorySwitches): Dialect {
  const { quirks, passwordInSchema } = PROFILES[profile];
  const has = (quirk: Quirk): boolean => quirks.includes(quirk);
  return Object.freeze({
    profile,
    passwordInSchema: passwordInSchema ?? true,
    ...switches,
    pathlessPatch: has('pathlessPatch'),
    passwordPatchDropped: has('passwordPatchDropped'),
    unknownAttributesIgnored: has('unknownAttributesIgnored'),
    foreignSchemasSkipped: has('foreignSchemasSkipped'),
    schemasOptional: has('schemasOptional'),
    severalPrimaries: has('severalPrimaries'),
    readOnlyValuesIgnored: has('readOnlyValuesIgnored'),
    capitalisedOps: has('capitalisedOps'),
    booleansAsStrings: has('booleansAsStrings'),
    pathsAsKeys: has('pathsAsKeys'),
    valueListRemoves: has('valueListRemoves'),
    looseComplexValues: has('looseComplexValues'),
    objectForList: has('objectForList'),
    looseMembers: has('looseMembers'),
    rolesAsText: has('rolesAsText'),
    singleValueSelected: has('singleValueSelected'),
  });
}

/** The IdPs that a request can show. */
export const RECOGNISED = ['entra', 'google', 'okta', 'onelogin'] as const;

/** The name of an IdP that a request shows. */
type Recognised = (typeof RECOGNISED)[number];

/** A request of that length shows its IdP, or does not. */
const MOST = 4096;

/**
 * Returns the IdP that a request shows by its `User-Agent`, or by a spelling that only this IdP has: `"op": "Replace"` and
 * `"False"` of Entra, `"false"` and a single object for a list of OneLogin. Null: the request follows the RFC, and could
 * come from any IdP.
 *
 * @param body as JSON text; null: there is none
 */
export function recognisedDialect(userAgent: string | undefined, body: string | null): Recognised | null {
  if (userAgent !== undefined && /^Okta\b/i.test(userAgent)) return 'okta';
  if (userAgent !== undefined && /^Google-Auto-Provisioning\b/i.test(userAgent)) return 'google';
  if (body === null) return null;
  const text = body.length > MOST ? body.slice(0, MOST) : body;
  if (/"op"\s*:\s*"(Add|Replace|Remove)"|"(active|primary|value)"\s*:\s*"(True|False)"/.test(text)) return 'entra';
  if (/"(active|primary)"\s*:\s*"(true|false)"|"(emails|phoneNumbers)"\s*:\s*\{/.test(text)) return 'onelogin';
  return null;
}
