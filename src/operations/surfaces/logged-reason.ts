import { findAttribute, GROUP_TYPE, USER_TYPE } from '../../protocols/scim/schema/resource-types.js';

/** Words of the protocol and of our options that are no attributes. */
const WORDS = new Set([
  'Operations', 'attributes', 'excludedAttributes', 'filter', 'sortBy', 'sortOrder', 'ascending', 'descending', 'startIndex',
  'count', 'cursor', 'value', 'path', 'op', 'add', 'replace', 'remove', 'bulkId', 'failOnErrors', 'schemas',
]); // prettier-ignore
const MOST = 500;

/**
 * The reason of a refusal as a log may hold it: names of attributes stay, and every other quoted text (what a caller wrote,
 * such as a name or an e-mail) is left out.
 */
export function loggedReason(detail: string): string {
  const parts = detail.slice(0, MOST).replace(/[“”`]/g, '"').split('"');
  // Every second part stood between quotation marks.
  return parts.map((part, i) => (i % 2 === 0 ? withoutAddresses(part) : named(part))).join('"');
}

function named(quoted: string): string {
  const [name = ''] = quoted.split('.');
  return isName(name) ? name : '…';
}

function withoutAddresses(text: string): string {
  return text
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ');
}

function isName(text: string): boolean {
  if (WORDS.has(text)) return true;
  return [USER_TYPE, GROUP_TYPE].some((type) => findAttribute(type, null, text) !== undefined);
}
