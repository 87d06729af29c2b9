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
