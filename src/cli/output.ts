import type { Json } from './client.js';

/** Where a command writes: results to one side, everything else to the other. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** Prints a result: as JSON for scripts, else as lines for people. An export is a text, and stays what it is. */
export function print(terminal: Terminal, result: unknown, json: boolean): void {
  if (result === undefined) return;
  if (typeof result === 'string') terminal.out(result);
  else if (json) terminal.out(`${JSON.stringify(result, null, 2)}\n`);
  else if (Array.isArray(result)) terminal.out(table(result as Json[]));
  else terminal.out(lines(result as Json));
}

function lines(record: Json): string {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`)
    .join('');
}

function table(rows: Json[]): string {
  if (rows.length === 0) return '(none)\n';
  const names = Object.keys(rows[0]!);
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  return cells
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const words = Array.isArray(value) && value.every((one) => typeof one === 'string');
  const text = typeof value === 'string' ? value : words ? value.join(',') : JSON.stringify(value);
  // What comes from outside must not move the cursor of whoever reads it.
  return text.replace(/\p{Cc}/gu, '�');
}
