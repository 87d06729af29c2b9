/**
 * Every peculiarity of an IdP that the engine knows: a flag each, with what it allows and who needs it. `dialects.ts`
 * says which profile has which. A flag that is off means: as the RFC has it.
 */
export interface Quirks {
  /**
   * PATCH add and replace without `path`. RFC 7644 §3.5.2.1 allows it, and the coming interop profile forbids it: a profile
   * without this quirk is stricter than the RFC. Okta, Entra.
   */
  readonly pathlessPatch: boolean;
  /** A `password` in a PATCH is dropped, although `changePassword` is not supported. Okta's password sync. */
  readonly passwordPatchDropped: boolean;
  /** Attributes no schema knows are left out of bodies, not refused. OneLogin templates hold names of their own. */
  readonly unknownAttributesIgnored: boolean;
  /** `schemas` may list URIs that mean nothing here. Entra (ADSCIM/2.0/Group), OneLogin (urn:scim:schemas:core:1.0). */
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
  /** `remove` with a list in `value` removes just those. Entra `members`, JumpCloud, authentik. */
  readonly valueListRemoves: boolean;
  /** A complex value as its plain `value`, or in an array of one: `manager`. Entra, Microsoft SCIM Validator. */
  readonly looseComplexValues: boolean;
  /** One object where a list belongs: `"emails": {"value":…}`. OneLogin (15five/django-scim2). */
  readonly objectForList: boolean;
  /** A member as a plain id, or known by its `$ref` alone. Keycloak extensions, hand-written clients. */
  readonly looseMembers: boolean;
  /** `roles` and `entitlements` as text, comma separated, or as a list of texts. Seen by BoxyHQ Jackson's parser. */
  readonly rolesAsText: boolean;
}

export type Quirk = keyof Quirks;

/** What costs nothing: no meaning of the RFC is lost by accepting it. */
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

/** What smaller clients were seen to send. */
export const OTHERS = ['looseMembers', 'rolesAsText'] as const satisfies readonly Quirk[];

/** "True" → true, "FALSE" → false; anything else is returned as it came. Never truthiness: "False" is not true. */
export function booleanFromText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > 5) return value;
  const lower = value.toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : value;
}

/** `"id"` → `{value: "id"}`, `[{value: "id"}]` → `{value: "id"}`, `[]` → null; anything else is returned as it came. */
export function complexFromLoose(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? null : { value };
  if (!Array.isArray(value) || value.length > 1) return value;
  return value.length === 0 ? null : complexFromLoose(value[0]);
}

/** `"Admin, User"` → `[{value: "Admin"}, {value: "User"}]`, also item by item in a list. JSON in a text stays one value. */
export function rolesFromText(value: unknown): unknown {
  if (typeof value === 'string') {
    const names = value.startsWith('{') ? [value] : value.split(',').map((name) => name.trim());
    return names.filter((name) => name !== '').map((name) => ({ value: name }));
  }
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => (typeof item === 'string' ? { value: item } : item));
}

/** The id at the end of a reference to a user or a group, absolute or relative: `Users/2819c223`. Else null. */
export function idFromReference(reference: unknown): string | null {
  if (typeof reference !== 'string') return null;
  const parts = reference.split('/');
  const id = parts.at(-1);
  const endpoint = parts.at(-2);
  return (endpoint === 'Users' || endpoint === 'Groups') && id !== undefined && id !== '' ? id : null;
}
