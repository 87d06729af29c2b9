import { foldCase, userNameKey } from '../../protocols/scim/text.js';
import { emailKey } from './user.mapping.js';

/** Adds a parameter and returns its placeholder. */
type Add = (value: unknown) => string;

/** A text of a user, called `u`, by whose beginning the user is found. An index leads with the tenant and this text. */
interface SearchedText {
  key: string;
  /** The normal form of a search for this text. */
  form: (text: string) => string;
  /** The condition of the index. */
  of?: string;
  /** A name, which many users share. */
  isName?: true;
}

/** The texts of an index have at most 256 characters: an entry of an index has at most 2 704 bytes. */
const folded = (text: string): string => `(left(lower((${text}) collate scim_text), 256) collate "C")`;
/** Of a held user also what was written counts, so that a user who is not in force is found. */
const written = (part: string): SearchedText => ({
  key: folded(`u.doc #>> '{name,${part}}'`),
  form: foldCase,
  of: 'u.held is not null',
  isName: true,
});

const SEARCHED: readonly SearchedText[] = [
  { key: 'u.email_key', form: emailKey, of: `u.status = 'active' and u.email_key is not null` },
  { key: 'u.email_key', form: emailKey, of: `u.status = 'inactive' and u.email_key is not null` },
  { key: 'u.user_name_key', form: userNameKey },
  { key: folded('u.person_external_id'), form: foldCase },
  { key: folded('u.external_id'), form: foldCase, of: 'u.external_id is distinct from u.person_external_id' },
  // Begins with the first name.
  { key: folded(`u.first_name || ' ' || u.last_name`), form: foldCase, isName: true },
  { key: folded('u.last_name'), form: foldCase, isName: true },
  written('givenName'),
  written('familyName'),
  written('formatted'),
];

/** A user can have several e-mails with the same beginning: this many of them are read for each user. */
const EMAILS_OF_USER = 5;

/**
 * Returns SQL of the users who have an e-mail, a name, an `external_id` or a `userName` that begins with a text, without
 * regard to case: `id`, the text that matches (`key`) and whether it is a name. A user can be among them several times. The
 * statement reads each index for at most `limit` entries, in the order of the texts, so the exact one comes first.
 */
export function usersBeginning(text: string, add: Add, limit: number): string {
  const within = rangesOf(text, add);
  const parts = SEARCHED.map(
    ({ key, form, of, isName = false }) =>
      `(select u.id, ${key} as key, ${isName} as is_name from users u
        where u.tenant_id = $1 and ${within(key, form)}${of === undefined ? '' : ` and ${of}`} order by ${key} limit ${limit})`,
  );
  return `${parts.join('\nunion all ')}
    union all (select e.user_id, e.value_key, false from user_emails e
      where e.tenant_id = $1 and ${within('e.value_key', emailKey)} order by e.value_key limit ${limit * EMAILS_OF_USER})`;
}

/** The newest users among which a page of many with a beginning is looked for: it is there where they are frequent. */
const NEAR = 5_000;
/** The most users with a beginning that are looked up by their ids where the newest have too few of them. */
export const MANY_BEGINNING = 20_000;

/** How users with a beginning are found: by their ids, among the newest, by the indexes of the texts, along the list. */
export type Way = { ids: string[] } | 'near' | 'indexes' | 'list';

/**
 * Returns the condition that a user has a beginning.
 *
 * @param after the id before which the page begins; null: the first page
 */
export function foundBy(text: string, way: Way, after: string | null, add: Add): string {
  if (typeof way === 'object') return `u.id = any(${add(way.ids)}::text[])`;
  if (way === 'indexes') return `u.id = any(array(select x.id from (${usersBeginning(text, add, MANY_BEGINNING)}) x))`;
  if (way === 'list') return beginsWith(text, add);
  return `${beginsWith(text, add)} and u.id >= coalesce((select min(n.id) from (select n.id from users n
    where n.tenant_id = $1${after === null ? '' : ` and n.id < ${add(after)}`} order by n.id desc limit ${NEAR}) n), '')`;
}

/** Returns the same as a condition on each user, for a text with which many users begin. */
function beginsWith(text: string, add: Add): string {
  const within = rangesOf(text, add);
  const parts = SEARCHED.map(({ key, form, of }) => `${within(key, form)}${of === undefined ? '' : ` and ${of}`}`);
  return `(${parts.join(' or ')}
    or u.id = any(array(select e.user_id from user_emails e where e.tenant_id = $1 and ${within('e.value_key', emailKey)})))`;
}

/** Returns the condition of the filter `held`: a reason, `any` or `none`. */
export function heldCondition(held: string, add: Add): string {
  if (held === 'none') return 'u.held is null';
  return held === 'any' ? 'u.held is not null' : `u.held = ${add(held)}`;
}

/** Returns a function that makes the condition of a key. A range needs no signs escaped, and a generic plan uses its index. */
function rangesOf(text: string, add: Add): (key: string, form: SearchedText['form']) => string {
  const bounds = new Map(
    [emailKey, userNameKey, foldCase].map((form) => [form, [add(form(text)), add(`${form(text)}\u{10ffff}`)]] as const),
  );
  return (key, form) => {
    const [from, to] = bounds.get(form)!;
    return `${key} >= ${from} and ${key} < ${to}`;
  };
}
