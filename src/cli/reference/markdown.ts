/** The first lines of a page that is made from the code. */
export function head(title: string, about: string): string {
  return `# ${title}\n\n<!-- Made from the code by \`npm run docs:reference\`. Do not edit. -->\n\n${about}\n`;
}

/** A table; `|` in a cell is escaped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** Text in the font of code. */
export function code(text: string): string {
  return `\`${text}\``;
}
