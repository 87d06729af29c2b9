/**
 * The peculiarities of IdPs that the engine knows. Each is a flag, with the IdPs that need it. `dialects.ts` lists the
 * flags of each profile. A flag that is off means the behaviour of the RFC.
 */
export interface Quirks {
  /**
   * PATCH add and replace without `path`. RFC 7644 §3.5.2.1 allows it, and the coming interop profile forbids it: a profile
   * without this quirk is stricter than the RFC. Okta, Entra.
   */
  readonly pathlessPatch: boolean;
  /** A `password` in a PATCH is dropped, although `changePassword` is not supported. Okta's password sync. */
  readonly passwordPatchDropped: boolean;
  /**
   * Attributes that no schema declares are dropped from bodies, not refused. OneLogin templates contain names of their
   * own.
   */
  readonly unknownAttributesIgnored: boolean;
  /**
   * `schemas` may list unknown URIs. Entra (ADSCIM/2.0/Group), OneLogin (urn:scim:schemas:core:1.0). Those of a message
   * count for nothing: WSO2 and hand-written clients send an empty list, or the URN of another kind.
   */
  readonly foreignSchemasSkipped: boolean;
  /** `schemas` may be missing from bodies and messages. OneLogin templates, hand-written clients. */
  readonly schemasOptional: boolean;
  /** Of several values with `primary: true` the last one keeps it. The RFC allows one (RFC 7643 §2.4). */
  readonly severalPrimaries: boolean;
  /** `id`, `meta`, `groups` in a pathless PATCH value are ignored. Okta rename `{"id":…,"displayName":…}`, authentik. */
  readonly readOnlyValuesIgnored: boolean;
  /** `Add`, `Replace`, `Remove`. Entra without the flag aadOptscim062020. */
  readonly capitalisedOps: boolean;
  /** "True" and "false" where the schema says boolean. Entra `"active":"False"`, OneLogin `"active":"true"`. */
  readonly booleansAsStrings: boolean;
  /** Keys of a pathless value that are paths: `name.familyName`, `urn:…:User:employeeNumber`, `emails[…].value`. Entra. */
  readonly pathsAsKeys: boolean;
  /** `remove` with a list in `value` removes only these values. Entra `members`, JumpCloud, authentik. */
  readonly valueListRemoves: boolean;
  /** A complex value as its plain `value`, or in an array of one: `manager`. Entra, Microsoft SCIM Validator. */
  readonly looseComplexValues: boolean;
  /** A single object in place of a list: `"emails": {"value":…}`. OneLogin (15five/django-scim2). */
  readonly objectForList: boolean;
  /** `remove` with a value path of an attribute that has one value: `manager[value eq "…"]`. Hand-written clients. */
  readonly singleValueSelected: boolean;
  /** A member as a plain id, or with nothing but its `$ref`. Keycloak extensions, hand-written clients. */
  readonly looseMembers: boolean;
  /** `roles` and `entitlements` as text, comma separated, or as a list of texts. Seen by BoxyHQ Jackson's parser. */
  readonly rolesAsText: boolean;
}

/** The name of a quirk. */
export type Quirk = keyof Quirks;

/** Quirks without a cost: a request that follows the RFC keeps its meaning. */
export const HARMLESS = [
  'pathlessPatch',
  'passwordPatchDropped',
  'unknownAttributesIgnored',
  'foreignSchemasSkipped',
  'schemasOptional',
  'severalPrimaries',
] as const satisfies readonly Quirk[];

/** Microsoft Learn, "Develop and plan provisioning for a SCIM endpoint" and "Known issues … SCIM 2.0 compliance". */
export const ENTRA = [
  'capitalisedOps',
  'booleansAsStrings',
  'pathsAsKeys',
  'valueListRemoves',
  'looseComplexValues',
] as const satisfies readonly Quirk[];

/** Okta developer documentation, "Okta and SCIM Version 2.0". */
export const OKTA = ['readOnlyValuesIgnored'] as const satisfies readonly Quirk[];

/** OneLogin set-up guides; trace in goauthentik/authentik #11249. */
export const ONELOGIN = ['booleansAsStrings', 'objectForList'] as const satisfies readonly Quirk[];

/** JumpCloud samples; authentik's outbound provider. */
export const VALUE_LISTS = ['valueListRemoves', 'readOnlyValuesIgnored'] as const satisfies readonly Quirk[];

/** Quirks of smaller clients. */
export const OTHERS = ['looseMembers', 'rolesAsText', 'singleValueSelected'] as const satisfies readonly Quirk[];

/**
 * Converts "True" to true and "FALSE" to false; returns other values unchanged. Never uses truthiness: "False" is not
 * true.
 */
export function booleanFromText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > 5) return value;
  const lower = value.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : value;
}

/** Converts `"id"` and `[{value: "id"}]` to `{value: "id"}`, and `[]` to null; returns other values unchanged. */
export function complexFromLoose(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? null : { value };
  if (!Array.isArray(value) || value.length > 1) return value;
  return value.length === 0 ? null : complexFromLoose(value[0]);
}

/**
 * Converts `"Admin, User"` to `[{value: "Admin"}, {value: "User"}]`, also for each item of a list. A text that is JSON
 * stays one value.
 */
export function rolesFromText(value: unknown): unknown {
  if (typeof value === 'string') {
    const names = value.startsWith('{') ? [value] : value.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '').map((name) => ({ value: name }));
  }
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (typeof item === 'string' ? { value: item } : item));
}

/** Returns the id at the end of a reference to a user or group, absolute or relative (`Users/2819c223`); else null. */
export function idFromReference(reference: unknown): string | null {
  if (typeof reference !== 'string') return null;
  const parts = reference.split('/');
  const id = parts.at(-1);
  const endpoint = parts.at(-2);
  return (endpoint === 'Users' || endpoint === 'Groups') && id !== undefined && id !== '' ? id : null;
}
