/** What a spreadsheet passes over before it looks for a formula. */
const PASSED_OVER = /^[\p{White_Space}\p{Cc}\p{Cf}]*/u;
/** Separators of lists in some countries and programs, and blanks at an end, which some programs remove. */
const QUOTED = /[",;|\t\r\n]|^\p{White_Space}|\p{White_Space}$/u;

/**
 * Returns a line of CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe before it:
 * names come from outside, and a list of them must not run code.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  let text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isFormula(text)) text = `'${text}`;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Full-width signs are read as the plain ones, and a tab or line end at the start is guarded as well. */
function isFormula(text: string): boolean {
  const [first = ''] = text.replace(PASSED_OVER, '');
  return /^[=+\-@]/.test(first.normalize('NFKC')) || /^[\t\r]/.test(text);
}
