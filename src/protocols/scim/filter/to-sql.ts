import { foldCase, IGNORABLE } from '../text.js';
import type { BoundComparison, BoundFilter, BoundPath, BoundValueFilter } from './bound.js';
import type { ColumnMap, ColumnRule } from './column-map.js';

/**
 * Compiles a filter to a boolean SQL expression that is never null.
 *
 * Text of the request becomes a parameter. The statement itself contains only names of our schemas and expressions of
 * the map. There is no LIKE, so nothing has to be escaped.
 *
 * @param params the parameters of the statement so far; those of the expression are appended
 */
export function toSql(filter: BoundFilter, map: ColumnMap, params: unknown[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.terms.map((term) => toSql(term, map, params)).join(` ${filter.kind} `)})`;
    case 'not':
      return `not (${toSql(filter.term, map, params)})`;
    case 'always':
      return 'true';
    case 'present':
      return present(filter.target, map, params);
    case 'some':
      return some(filter.target, filter.filter, map, params);
    case 'compare':
      return compare(filter, map, params);
  }
}

/** Returns SQL for the text of a value in the document, null where it is missing. */
export function documentText(document: string, keys: readonly string[]): string {
  // Keys are names of our schemas: they need quotes and no escapes.
  return `(${document} #>> '{${keys.map((key) => `"${key}"`).join(',')}}')`;
}

/** Returns SQL for the values of a multi-valued attribute as rows; no rows where it is missing. */
export function documentValues(document: string, keys: readonly string[]): string {
  const list = `(${document} #> '{${keys.map((key) => `"${key}"`).join(',')}}')`;
  return `jsonb_array_elements(case when jsonb_typeof${list} = 'array' then ${list} else '[]'::jsonb end)`;
}

function some(target: BoundPath, inner: BoundValueFilter, map: ColumnMap, params: unknown[]): string {
  const rule = Object.hasOwn(map.lists, target.path) ? map.lists[target.path] : undefined;
  if (rule !== undefined) {
    const used = params.length;
    const answer = rule(inner, params, map.base ?? '');
    if (answer !== null) return answer;
    params.length = used;
  }
  if (map.document === null) return 'false';
  const element: ColumnMap = { document: 'e.v', columns: {}, lists: {} };
  const hint = textWithin(inner);
  // Expanding a list costs several times as much as searching its text for a part.
  const whole =
    hint === null
      ? ''
      : `position(${bind(hint, params)}::text in lower(${documentText(map.document, target.keys)} collate scim_text)) > 0 and `;
  const condition = toSql(inner, element, params);
  const exists = `exists (select 1 from ${documentValues(map.document, target.keys)} as e(v) where ${condition})`;
  return whole === '' ? exists : `(${whole}${exists})`;
}

/** Returns a folded text that the JSON text of every matching list contains; null: there is none. */
function textWithin(filter: BoundFilter): string | null {
  if (filter.kind === 'and') {
    const texts = filter.terms.map(textWithin).filter((text) => text !== null);
    return texts.reduce<string | null>((best, text) => (text.length > (best?.length ?? 0) ? text : best), null);
  }
  if (filter.kind !== 'compare' || !['eq', 'co', 'sw', 'ew'].includes(filter.op)) return null;
  const { attribute } = filter.target;
  if ((attribute.type !== 'string' && attribute.type !== 'reference') || attribute.comparedAsUserName) return null;
  const text = foldCase(String(filter.value));
  // JSON escapes these characters, so the stored text differs.
  return text === '' || /["\\\p{Cc}]/u.test(text) ? null : text;
}

function present(target: BoundPath, map: ColumnMap, params: unknown[]): string {
  const { attribute } = target;
  if (attribute.multiValued && target.keys.length > 0) {
    return some(target, { kind: 'always' }, map, params);
  }
  if (attribute.type === 'complex') {
    const parts = attribute.subAttributes.map((sub) =>
      present({ path: `${target.path}.${sub.name}`, keys: [...target.keys, sub.name], attribute: sub }, map, params),
    );
    return `(${parts.join(' or ')})`;
  }
  const column = columnOf(target, map);
  if (column !== undefined) {
    if (column.type === 'text') return orFalse(column, `${column.sql} <> ''`);
    return column.nullable === true ? `${column.sql} is not null` : 'true';
  }
  if (map.document === null) return 'false';
  return `coalesce(${documentText(map.document, target.keys)} <> '', false)`;
}

function compare(filter: BoundComparison, map: ColumnMap, params: unknown[]): string {
  const column = columnOf(filter.target, map);
  if (column?.path !== undefined) return compareAddress(filter, column, map.base ?? '', params);
  if (column !== undefined) return compareColumn(filter, column, params);
  if (map.document === null) return filter.op === 'ne' ? 'true' : 'false';
  const raw = documentText(map.document, filter.target.keys);
  const condition = documentCondition(filter, raw, params);
  return `coalesce(${condition}, ${filter.op === 'ne' ? 'true' : 'false'})`;
}

function documentCondition(filter: BoundComparison, raw: string, params: unknown[]): string {
  switch (filter.target.attribute.type) {
    case 'boolean':
      return `${raw} ${SIGN[filter.op]} '${filter.value === true ? 'true' : 'false'}'`;
    case 'dateTime':
      return `${raw}::timestamptz ${SIGN[filter.op]} ${timestamp(filter, params)}`;
    case 'integer':
    case 'decimal':
      return `${raw}::numeric ${SIGN[filter.op]} ${bind(filter.value, params)}::numeric`;
    default:
      return textCondition(filter.op, folded(filter.target, raw), String(filter.key), params);
  }
}

/** Compares the ends of addresses, so that an index on the end can be used. */
function compareAddress(filter: BoundComparison, column: ColumnRule, base: string, params: unknown[]): string {
  const { op } = filter;
  const { sql, path } = column;
  const start = `${base}${path}`;
  const text = String(filter.value);
  if (op !== 'eq' && op !== 'ne') {
    return guarded(column, op, textCondition(op, `(${bind(start, params)}::text || ${sql})`, text, params));
  }
  if (!text.startsWith(start)) return op === 'ne' ? 'true' : 'false';
  return guarded(column, op, `${sql} ${SIGN[op]} ${bind(text.slice(start.length), params)}`);
}

function compareColumn(filter: BoundComparison, column: ColumnRule, params: unknown[]): string {
  const { op } = filter;
  switch (column.type) {
    case 'boolean':
      // `is` has two values only: where nothing is stored, `is not` is true.
      return `${column.sql} is ${op === 'ne' ? 'not ' : ''}${filter.value === true ? 'true' : 'false'}`;
    case 'timestamptz':
      return guarded(column, op, `${column.sql} ${SIGN[op]} ${timestamp(filter, params)}`);
    case 'integer':
      return guarded(column, op, `${column.sql} ${SIGN[op]} ${bind(filter.value, params)}::numeric`);
    case 'uuid': {
      if (op !== 'eq' && op !== 'ne') {
        return guarded(column, op, textCondition(op, `${column.sql}::text`, String(filter.key), params));
      }
      // A text that is no canonical UUID equals none, and would make the cast fail.
      if (!UUID.test(String(filter.value))) return op === 'ne' ? 'true' : 'false';
      return guarded(column, op, `${column.sql} ${SIGN[op]} ${bind(filter.value, params)}`);
    }
    case 'text': {
      const literal = column.key === undefined ? String(filter.key) : column.key(String(filter.value));
      const value = column.key === undefined ? folded(filter.target, column.sql) : column.sql;
      const condition = textCondition(op, value, literal, params);
      if (op !== 'eq' || column.sorted === undefined || column.sortedCharacters === undefined) {
        return guarded(column, op, condition);
      }
      const beginning = bind([...literal].slice(0, column.sortedCharacters).join(''), params);
      return guarded(column, op, `${column.sorted} = ${beginning} and ${condition}`);
    }
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

const SIGN = {
  eq: '=',
  ne: '<>',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
  co: '=',
  sw: '=',
  ew: '=',
} as const;

function textCondition(op: BoundComparison['op'], value: string, literal: string, params: unknown[]): string {
  const parameter = bind(literal, params);
  switch (op) {
    case 'eq':
    case 'ne':
      return `${value} ${SIGN[op]} ${parameter}`;
    case 'co':
      return `position(${parameter}::text in ${value}) > 0`;
    case 'sw':
      return `starts_with(${value}, ${parameter}::text)`;
    case 'ew':
      return `right(${value}, char_length(${parameter}::text)) = ${parameter}::text`;
    default:
      return `${value} collate "C" ${SIGN[op]} ${parameter}::text`;
  }
}

/** Returns SQL for a text in the form in which the attribute is compared; the SQL form of `textKey`. */
export function folded({ attribute }: BoundPath, text: string): string {
  if (attribute.caseExact) return text;
  if (!attribute.comparedAsUserName) return `lower(${text} collate scim_text)`;
  const shown = `regexp_replace(lower(normalize(${text}, nfkc) collate scim_text), '${IGNORED}', '', 'g')`;
  return `btrim(regexp_replace(normalize(${shown}, nfc), '${BLANKS}', ' ', 'g'))`;
}

// The patterns of `userNameKey` in the syntax of PostgreSQL.
const IGNORED = `[${IGNORABLE}\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]+`;
const BLANKS = '[\\t-\\r \\u1680\\u2028\\u2029]+';

function timestamp(filter: BoundComparison, params: unknown[]): string {
  return `${bind(new Date(Number(filter.key)).toISOString(), params)}::timestamptz`;
}

/** Converts the null of a nullable column to false, or to true for `ne`. */
function guarded(column: ColumnRule, op: BoundComparison['op'], condition: string): string {
  if (op !== 'ne') return orFalse(column, condition);
  if (column.when !== undefined) return `(${column.sql} is null or not (${column.when}) or ${condition})`;
  return column.nullable === true ? `(${column.sql} is null or ${condition})` : condition;
}

function orFalse(column: ColumnRule, condition: string): string {
  // No coalesce: it would prevent the use of an index on the column.
  if (column.when !== undefined) return `(${column.sql} is not null and ${condition} and ${column.when})`;
  return column.nullable === true ? `(${column.sql} is not null and ${condition})` : condition;
}

function columnOf({ path }: BoundPath, map: ColumnMap): ColumnRule | undefined {
  return Object.hasOwn(map.columns, path) ? map.columns[path] : undefined;
}

function bind(value: unknown, params: unknown[]): string {
  return `$${params.push(value)}`;
}
