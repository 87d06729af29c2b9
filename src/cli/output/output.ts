import type { Json } from '../client/client.js';
import { blockOf, tableOf } from './table.js';

/** Where a command writes: results to one side, everything else to the other. */
export interface Terminal {
  out: (text: string) => void;
  err: (text: string) => void;
  /** How many columns the reader sees; undefined: the output goes into a file or a pipe. */
  width?: number | undefined;
  /** The same of the other side; undefined: a line there cannot be rewritten in place. */
  liveWidth?: number | undefined;
  /** Reads standard input to its end; absent where nothing can be read. */
  input?: () => Promise<string>;
  /** Acts in place of the end of the process when the user presses Ctrl-C, once; answers what takes that back. */
  onInterrupt?: (act: () => void) => () => void;
}

/** Characters of a list in a row of a table. */
const LIST_LENGTH = 60;
const SEATS: Readonly<Record<string, string>> = { held: 'has one', waiting: 'waits' };

/** Prints a result: as JSON for scripts, else as lines for people. An export is a text, and stays what it is. */
export function print(terminal: Terminal, result: unknown, json: boolean): void {
  if (result === undefined) return;
  if (typeof result === 'string') terminal.out(result);
  else if (json) terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (Array.isArray(result)) terminal.out(table(result as Json[], terminal.width));
  else terminal.out(recordText(result as Json));
}

/** Returns a record for a reader: a line for each field. */
export function recordText(record: Json): string {
  const names = Object.keys(record);
  return blockOf(
    names,
    names.map((name) => cell(name, record[name])),
  );
}

function table(rows: Json[], width: number | undefined): string {
  if (rows.length === 0) return '(none)\n';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return tableOf(
    names,
    rows.map((row) => names.map((name) => shortTime(cell(name, counted(row[name]))))),
    width,
  );
}

/** A list of many values makes a table unreadable: its row has their number, and `--json` has them all. */
function counted(value: unknown): unknown {
  if (!Array.isArray(value) || wordsOf(value).length <= LIST_LENGTH) return value;
  return `${value.length} (--json)`;
}

/** A table shows whole seconds: times are what it has least room for. */
function shortTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, '$1Z');
}

/** Returns a value as words: the fields of a record as `name value`, the entries of a list behind each other. */
function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const plain = value.every((one) => typeof one !== 'object');
    return value.map(wordsOf).join(plain ? ',' : '; ');
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${wordsOf(one)}`)
    .join(', ');
}

function cell(name: string, value: unknown): string {
  const text = wordsOf(name === 'seat' ? seatWord(value) : value);
  return text === '' ? '-' : withoutControls(text).replaceAll('\n', '�');
}

/** Returns a text without control characters, the end of a line excepted: text from outside must not move the cursor of the terminal. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '�');
}

/** Returns the seat of a user in words. The API calls a seat that a user has `held`, which of a user means another thing. */
function seatWord(value: unknown): unknown {
  return typeof value === 'string' ? (SEATS[value] ?? value) : value;
}
