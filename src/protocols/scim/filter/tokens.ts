import type { ScimRequestError } from '../scim.errors.js';
import { isStorable } from '../text.js';
import type { AttributePath } from './ast.js';

/**
 * Reads a filter or a PATCH path from left to right, each character once: without backtracking the time is linear.
 * `refuse` creates the error for the source of the text.
 */
export class Scanner {
  private at = 0;

  constructor(
    private readonly text: string,
    readonly refuse: (detail: string) => ScimRequestError,
  ) {}

  /** Returns the next character that is no white space; '' at the end. */
  peek(): string {
    const { text } = this;
    while (this.at < text.length && isSpace(text.charCodeAt(this.at))) this.at++;
    return text.charAt(this.at);
  }

  /** Skips `character` if it is next. */
  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at++;
    return true;
  }

  /** Reads characters up to white space, a quote, a bracket or the end; can be empty. */
  word(): string {
    this.peek();
    const start = this.at;
    while (this.at < this.text.length && !endsWord(this.text.charCodeAt(this.at))) this.at++;
    return this.text.slice(start, this.at);
  }

  /** Returns the next word without reading it. */
  peekWord(): string {
    this.peek();
    const start = this.at;
    const word = this.word();
    this.at = start;
    return word;
  }

  /** Reads a JSON string (RFC 8259 §7); the opening quote is next. */
  string(): string {
    const { text } = this;
    const start = this.at;
    let escaped = false;
    for (this.at++; ; this.at++) {
      if (this.at >= text.length) throw this.refuse('A string is not closed.');
      const unit = text.charCodeAt(this.at);
      if (unit === 0x22) break;
      if (unit < 0x20) throw this.refuse('A string holds a control character.');
      if (unit === 0x5c) {
        escaped = true;
        this.at++;
      }
    }
    this.at++;
    const value = escaped ? this.unescape(text.slice(start, this.at)) : text.slice(start + 1, this.at - 1);
    if (!isStorable(value)) throw this.refuse('A string holds U+0000 or half a surrogate pair.');
    return value;
  }

  /** Refuses text that is left. */
  end(): void {
    if (this.peek() !== '') throw this.refuse(`The text has to end at position ${this.at + 1}.`);
  }

  position(): number {
    return this.at + 1;
  }

  private unescape(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.refuse('A string holds an unknown escape.');
    }
  }
}

/**
 * Splits `[URI ":"] ATTRNAME *1("." ATTRNAME)`.
 *
 * The attribute begins after the last colon, because the URN of a schema contains dots and colons itself. For a word
 * that is only the URN of a schema, the last part of the URN is returned as the attribute; `resolve.ts` and `target.ts`
 * handle that.
 */
export function parsePath(word: string, refuse: Scanner['refuse']): AttributePath {
  const colon = word.lastIndexOf(':');
  const dot = word.indexOf('.', colon + 1);
  const attr = word.slice(colon + 1, dot === -1 ? undefined : dot);
  const sub = dot === -1 ? null : word.slice(dot + 1);
  if (!isName(attr) || (sub !== null && !isName(sub)) || colon === 0) {
    throw refuse(`"${shortenDetail(word)}" is not an attribute path.`);
  }
  return { urn: colon === -1 ? null : word.slice(0, colon), attr, sub };
}

/**
 * Returns whether a text is an attribute name: a letter, then letters, digits, `-` and `_` (RFC 7643 §2.1); `$ref`
 * begins with a dollar sign (erratum 8924).
 */
export function isName(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(isLetter(first) || (first === 0x24 && text.length > 1))) return false;
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!isLetter(unit) && !isDigit(unit) && unit !== 0x2d && unit !== 0x5f) return false;
  }
  return true;
}

/** Parses a JSON number (RFC 8259 §6); NaN for other texts. */
export function parseNumber(word: string): number {
  let at = word.charCodeAt(0) === 0x2d ? 1 : 0;
  if (!isDigit(word.charCodeAt(at))) return Number.NaN;
  if (word.charCodeAt(at) === 0x30 && isDigit(word.charCodeAt(at + 1))) return Number.NaN;
  at = digits(word, at);
  if (word.charCodeAt(at) === 0x2e) {
    if (!isDigit(word.charCodeAt(at + 1))) return Number.NaN;
    at = digits(word, at + 1);
  }
  if ((word.charCodeAt(at) | 0x20) === 0x65) {
    const sign = word.charCodeAt(at + 1);
    const start = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    if (!isDigit(word.charCodeAt(start))) return Number.NaN;
    at = digits(word, start);
  }
  if (at !== word.length) return Number.NaN;
  const value = Number(word);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Shortens a part of the request for an error detail. */
export function shortenDetail(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function digits(word: string, at: number): number {
  while (isDigit(word.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

function endsWord(unit: number): boolean {
  return (
    isSpace(unit) ||
    unit === 0x22 || // "
    unit === 0x28 || // (
    unit === 0x29 ||
    unit === 0x5b || // [
    unit === 0x5d
  );
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
