import { invalidFilter, invalidPath } from '../scim.errors.js';
import type { AttributePath, CompareOp, Filter, Literal, PatchPath } from './ast.js';
import { isName, parseNumber, parsePath, Scanner, shortenDetail } from './tokens.js';

const MAX_FILTER = 4096;
/** A PATCH path may contain a filter, and Okta puts long ids into it. */
const MAX_PATH = 10_240;
const MAX_TERMS = 50;
const MAX_DEPTH = 10;

const OPERATORS: ReadonlyMap<string, CompareOp> = new Map(
  (['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const).flatMap((op) => [
    [op, op],
    [op.toUpperCase(), op],
  ]),
);

/**
 * Parses a filter (RFC 7644 §3.4.2.2). Names keep their spelling; `resolve.ts` binds them to a schema.
 *
 * Beyond the grammar, `emails[type eq "work"].value eq "x"` means `emails[type eq "work" and value eq "x"]`: Entra ID
 * documents that form.
 *
 * @throws {ScimRequestError} invalidFilter for wrong syntax, more than 4 KiB, 50 terms or 10 levels
 */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_FILTER) throw invalidFilter(`A filter has at most ${MAX_FILTER} characters.`);
  const parser = new Parser(new Scanner(text, invalidFilter));
  const filter = parser.or(0);
  parser.scanner.end();
  return filter;
}

/**
 * Parses the path of a PATCH operation (RFC 7644 §3.5.2, figure 7).
 *
 * @throws {ScimRequestError} invalidPath
 */
export function parsePatchPath(text: string): PatchPath {
  if (text.length > MAX_PATH) throw invalidPath(`A path has at most ${MAX_PATH} characters.`);
  const parser = new Parser(new Scanner(text, invalidPath));
  const { scanner } = parser;
  const path = parsePath(scanner.word(), invalidPath);
  if (!scanner.take('[')) {
    scanner.end();
    return { path, filter: null, sub: null };
  }
  if (path.sub !== null) throw invalidPath('A value path selects values of an attribute, not of a sub-attribute.');
  const filter = parser.brackets(0);
  const sub = parser.subAttribute();
  scanner.end();
  return { path, filter, sub };
}

/** A recursive descent parser with one method for each level of precedence: or, and, a single term. */
class Parser {
  private terms = 0;

  constructor(readonly scanner: Scanner) {}

  or(depth: number): Filter {
    return this.chain('or', depth);
  }

  /** Parses the filter after `[`, up to `]`. */
  brackets(depth: number): Filter {
    const filter = this.or(this.deeper(depth));
    if (!this.scanner.take(']')) throw this.scanner.refuse('"]" is missing.');
    return filter;
  }

  /** Parses `.name` directly after a value path, if present. */
  subAttribute(): string | null {
    if (this.scanner.peek() !== '.') return null;
    const name = this.scanner.word().slice(1);
    if (!isName(name)) throw this.scanner.refuse('A sub-attribute is expected after "].".');
    return name;
  }

  private chain(kind: 'or' | 'and', depth: number): Filter {
    const first = kind === 'or' ? this.chain('and', depth) : this.term(depth);
    if (!this.takeWord(kind)) return first;
    const terms = [first];
    do terms.push(kind === 'or' ? this.chain('and', depth) : this.term(depth));
    while (this.takeWord(kind));
    return { kind, terms };
  }

  private term(depth: number): Filter {
    const { scanner } = this;
    if (scanner.take('(')) return this.parentheses(depth);
    const word = scanner.word();
    if (word === '') throw scanner.refuse(`An attribute is expected at position ${scanner.position()}.`);
    if (isKeyword(word, 'not') && scanner.take('(')) {
      return { kind: 'not', term: this.parentheses(depth) };
    }
    const path = parsePath(word, scanner.refuse);
    if (scanner.take('[')) return this.valuePath(path, depth);
    return this.comparison(path);
  }

  private parentheses(depth: number): Filter {
    const filter = this.or(this.deeper(depth));
    if (!this.scanner.take(')')) throw this.scanner.refuse('")" is missing.');
    return filter;
  }

  private valuePath(path: AttributePath, depth: number): Filter {
    if (path.sub !== null) throw this.scanner.refuse('A value path needs an attribute, not a sub-attribute.');
    const filter = this.brackets(depth);
    const sub = this.subAttribute();
    if (sub === null) return { kind: 'valuePath', path, filter };
    const last = this.comparison({ urn: null, attr: sub, sub: null });
    const terms = filter.kind === 'and' ? [...filter.terms, last] : [filter, last];
    return { kind: 'valuePath', path, filter: { kind: 'and', terms } };
  }

  private comparison(path: AttributePath): Filter {
    const { scanner } = this;
    if (++this.terms > MAX_TERMS) throw scanner.refuse(`A filter has at most ${MAX_TERMS} terms.`);
    const word = scanner.word();
    const op = OPERATORS.get(word) ?? OPERATORS.get(word.toLowerCase());
    if (op !== undefined) return { kind: 'compare', path, op, value: this.literal() };
    if (isKeyword(word, 'pr')) return { kind: 'present', path };
    throw scanner.refuse(word === '' ? 'An operator is missing.' : `"${shortenDetail(word)}" is not an operator.`);
  }

  private literal(): Literal {
    const { scanner } = this;
    if (scanner.peek() === '"') return scanner.string();
    const word = scanner.word();
    switch (word.length <= 5 ? word.toLowerCase() : word) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
    }
    const number = parseNumber(word);
    if (Number.isNaN(number)) {
      throw scanner.refuse(word === '' ? 'A value is missing.' : `"${shortenDetail(word)}" is not a JSON value.`);
    }
    return number;
  }

  private takeWord(keyword: string): boolean {
    // Only words with "a" and "o" can be "and" and "or": the first letter is compared before the word is read.
    if ((this.scanner.peek().charCodeAt(0) | 0x20) !== keyword.charCodeAt(0)) return false;
    if (!isKeyword(this.scanner.peekWord(), keyword)) return false;
    this.scanner.word();
    return true;
  }

  private deeper(depth: number): number {
    if (depth >= MAX_DEPTH) throw this.scanner.refuse(`A filter has at most ${MAX_DEPTH} levels.`);
    return depth + 1;
  }
}

function isKeyword(word: string, keyword: string): boolean {
  return word.length === keyword.length && word.toLowerCase() === keyword;
}
