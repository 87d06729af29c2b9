import type { Json } from '../client/client.js';

/** One printed row: column names and cells, all on one line. */
type Cells = readonly string[];

const GAP = 2;
/** A column is not cut below this width; a terminal too narrow for that gets one block for each row. */
const MIN_WIDTH = 10;
const SEGMENTS = new Intl.Segmenter();
/** Scripts whose characters take two columns of a terminal. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/**
 * Prints rows as a table that is no wider than the terminal.
 *
 * The widest columns are cut first. Columns of ids are never cut, since ids are copied into the next command; nor are bars. Where that is
 * not enough, each row becomes a block of lines.
 *
 * @param names the names of the columns
 * @param rows the cells, in the order of the names
 * @param width columns of the terminal; undefined: no limit (output into a file or a pipe)
 */
export function tableOf(names: Cells, rows: readonly Cells[], width: number | undefined): string {
  const lines = [names, ...rows];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]!))));
  const fitted = width === undefined ? widths : fit(names, widths, width);
  if (fitted === null) return rows.map((row) => `${blockOf(names, row)}\n`).join('');
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => padded(text, fitted[column]!))
          .join(' '.repeat(GAP))
          .trimEnd()}\n`,
    )
    .join('');
}

/** Prints one record: a line for each field. */
export function blockOf(names: Cells, cells: Cells): string {
  const width = Math.max(0, ...names.map(widthOf));
  return names.map((name, place) => `${padded(name, width)}  ${cells[place]!}\n`).join('');
}

/** Returns the widths with which a table fits, or null where it cannot. */
function fit(names: Cells, widths: readonly number[], width: number): number[] | null {
  const fitted = [...widths];
  const isCut = (column: number) => !/(^|_)id$|^progress$/.test(names[column]!);
  const least = (column: number) => Math.max(MIN_WIDTH, widthOf(names[column]!));
  const total = () => fitted.reduce((sum, one) => sum + one, GAP * (fitted.length - 1));
  for (let excess = total() - width; excess > 0; excess = total() - width) {
    const columns = [...fitted.keys()].filter((column) => isCut(column) && fitted[column]! > least(column));
    const widest = columns.sort((a, b) => fitted[b]! - fitted[a]!)[0];
    if (widest === undefined) return null;
    fitted[widest] = Math.max(least(widest), fitted[widest]! - excess);
  }
  return fitted;
}

function padded(text: string, width: number): string {
  const cut = widthOf(text) > width ? `${headOf(text, width - 1)}…` : text;
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

/** The beginning of a text that is at most so wide. */
function headOf(text: string, width: number): string {
  let head = '';
  let used = 0;
  for (const { segment } of SEGMENTS.segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    head += segment;
  }
  return head;
}

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

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
