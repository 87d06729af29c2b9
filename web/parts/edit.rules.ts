/** A form over an object of the server: the fields that it began with, and what it shows now. */
export interface Edited<T extends object> {
  base: T;
  draft: T;
}

/** A field with two values: the one of the form, and the one that the server has now. */
export interface Side {
  field: string;
  mine: unknown;
  theirs: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns whether two values of JSON are equal; the order of the members of an object does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return one === other;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame((one as Fields)[name], (other as Fields)[name]))
  );
}

/** Returns the names of the fields of some objects, each one once. */
function namesOf(...objects: readonly object[]): string[] {
  return [...new Set(objects.flatMap((one) => Object.keys(one)))];
}

/** Returns an object with the value that `choose` gives for each name; a name without a value is left out. */
function made<T extends object>(names: readonly string[], choose: (name: string) => unknown): T {
  const entries = names.map((name) => [name, choose(name)] as const).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

/** Returns the names of the fields that were changed in the form. */
export function changedIn<T extends object>({ base, draft }: Edited<T>): string[] {
  return namesOf(base, draft).filter((name) => !isSame((base as Fields)[name], (draft as Fields)[name]));
}

/** Returns the fields of a list with both values, but those in which the form and the server agree. */
export function sidesOf<T extends object>(fields: readonly string[], draft: T, now: T): Side[] {
  return fields
    .map((field) => ({ field, mine: (draft as Fields)[field], theirs: (now as Fields)[field] }))
    .filter(({ mine, theirs }) => !isSame(mine, theirs));
}

/** Returns the fields that were changed in the form and, since it began, on the server too, to other values. */
export function clashesOf<T extends object>(form: Edited<T>, now: T): Side[] {
  const { base, draft } = form;
  const isChangedThere = (name: string): boolean => !isSame((base as Fields)[name], (now as Fields)[name]);
  return sidesOf(changedIn(form).filter(isChangedThere), draft, now);
}

/** Returns the form over the newer object: fields that were not changed in it follow the server, the others stay. */
export function rebased<T extends object>(form: Edited<T>, now: T): Edited<T> {
  const changed = new Set(changedIn(form));
  const names = namesOf(now, form.base, form.draft);
  const isKept = (name: string): boolean =>
    changed.has(name) && !isSame((form.draft as Fields)[name], (now as Fields)[name]);
  return {
    base: made(names, (name) => ((isKept(name) ? form.base : now) as Fields)[name]),
    draft: made(names, (name) => ((isKept(name) ? form.draft : now) as Fields)[name]),
  };
}

/** Returns the form that writes over what the server has now. */
export function keptMine<T extends object>(form: Edited<T>, now: T): Edited<T> {
  return { base: now, draft: rebased(form, now).draft };
}

/** Returns the form with the server's values in some fields. Other changes of the form stay. */
export function takenTheirs<T extends object>(form: Edited<T>, now: T, fields: readonly string[]): Edited<T> {
  const taken = made<T>(
    namesOf(now, form.draft),
    (name) => ((fields.includes(name) ? now : form.draft) as Fields)[name],
  );
  return rebased({ base: form.base, draft: taken }, now);
}
