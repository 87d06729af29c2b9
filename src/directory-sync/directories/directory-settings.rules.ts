import type { FieldError } from '../../base/errors/domain-error.js';
import { allowFromProblems } from '../../base/http/allowed-networks.js';
import { findAttribute, RESOURCE_TYPES } from '../../protocols/scim/schema/resource-types.js';
import { customNameProblem } from '../../protocols/scim/schema/user.schema.js';
import type { ChangeDirectory, AttributeMapFields, CustomAttributeFields } from './directories.dto.js';
import type { DirectorySettings } from './directories.repository.js';
import type { AttributeMap, GuardFigures, StoredCustomAttribute } from './directory.js';

export const NEW_DIRECTORY: DirectorySettings = {
  name: '',
  profile: 'tolerant',
  state: 'live',
  default_role: 'User',
  attribute_map: {},
  on_match: 'link',
  takes_over: null,
  replace_creates_missing: false,
  may_grant_console: false,
  guard: {},
  allow_from: [],
  custom_attributes: [],
};

export function settingsAfter(before: DirectorySettings, input: ChangeDirectory): DirectorySettings {
  return {
    name: input.name ?? before.name,
    profile: input.profile ?? before.profile,
    state: input.state ?? before.state,
    default_role: input.default_role === undefined ? before.default_role : input.default_role,
    attribute_map: mapAfter(before.attribute_map, input.attribute_map),
    on_match: input.on_match ?? before.on_match,
    takes_over: input.takes_over === undefined ? before.takes_over : input.takes_over,
    replace_creates_missing: input.replace_creates_missing ?? before.replace_creates_missing,
    may_grant_console: input.may_grant_console ?? before.may_grant_console,
    guard: guardAfter(before.guard, input.guard),
    allow_from: input.allow_from ?? before.allow_from,
    custom_attributes: declaredAfter(before.custom_attributes, input.custom_attributes),
  };
}

/** `known` has every attribute that a directory of the tenant has ever declared: users can have values of it. */
export function settingsProblems(
  settings: Pick<DirectorySettings, 'allow_from' | 'custom_attributes'>,
  known: readonly { directory: string; attribute: StoredCustomAttribute }[],
): FieldError[] {
  return [...allowFromProblems(settings.allow_from), ...attributeProblems(settings.custom_attributes, known)];
}

function attributeProblems(
  declared: readonly StoredCustomAttribute[],
  known: readonly { directory: string; attribute: StoredCustomAttribute }[],
): FieldError[] {
  const seen = new Set<string>();
  return declared.flatMap((one, place) => {
    if (one.removed === true) return [];
    const lower = one.name.toLowerCase();
    const isRepeated = seen.has(lower);
    seen.add(lower);
    const field = `custom_attributes[${place}]`;
    const problem = isRepeated ? 'has the name of another one' : nameProblem(one.name);
    if (problem !== null) return [{ field: `${field}.name`, message: problem }];
    const other = known.find(({ attribute }) => attribute.name.toLowerCase() === lower && !isSame(attribute, one));
    if (other === undefined) return [];
    const { name, type, multi_valued } = other.attribute;
    const message =
      `was declared as ${name} (${type}${multi_valued ? ', with several values' : ''}) by the directory ${other.directory}, ` +
      'and users can have values of it: choose another name';
    return [{ field, message }];
  });
}

function nameProblem(name: string): string | null {
  const isTaken = RESOURCE_TYPES.some((type) => findAttribute(type, null, name) !== undefined);
  return isTaken ? 'is the name of an attribute of SCIM' : customNameProblem(name);
}

function isSame(a: StoredCustomAttribute, b: StoredCustomAttribute): boolean {
  return a.name === b.name && a.type === b.type && a.multi_valued === b.multi_valued;
}

/** Removed attributes keep their types at the end of the list. */
function declaredAfter(
  before: readonly StoredCustomAttribute[],
  change: readonly CustomAttributeFields[] | undefined,
): StoredCustomAttribute[] {
  if (change === undefined) return [...before];
  const declared = change.map(({ name, type, multi_valued = false, description = '' }) => {
    return { name, type, multi_valued, description };
  });
  const gone = before.filter((one) => !declared.some(({ name }) => name === one.name));
  return [...declared, ...gone.map((one) => ({ ...one, removed: true as const }))];
}

function mapAfter(before: AttributeMap, change: AttributeMapFields | undefined): AttributeMap {
  const after: AttributeMap = { ...before };
  for (const name of ['external_id', 'email', 'first_name', 'last_name'] as const) {
    const attribute = change?.[name];
    if (attribute === null) delete after[name];
    else if (attribute !== undefined) after[name] = attribute;
  }
  return after;
}

/** Returns whether the change of settings can change the effective state of users. */
export function changesPeople(before: DirectorySettings, after: DirectorySettings): boolean {
  const mapOf = ({ attribute_map }: DirectorySettings) => JSON.stringify(sorted(attribute_map));
  return (
    before.default_role !== after.default_role ||
    before.may_grant_console !== after.may_grant_console ||
    mapOf(before) !== mapOf(after)
  );
}

/** Sorts the fields, so that the JSON text does not depend on their order. */
function sorted(map: AttributeMap): object {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

type StoredGuard = { off?: boolean } & Partial<GuardFigures>;

function guardAfter(before: StoredGuard, change: 'off' | 'on' | Partial<GuardFigures> | undefined): StoredGuard {
  if (change === undefined) return before;
  if (change === 'off') return { off: true };
  if (change === 'on') return {};
  const { off: _, ...figures } = before;
  return { ...figures, ...change };
}
