import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The root of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Reads a file of the repository. */
export function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Every page: README.md, CHANGELOG.md, and those below `docs`. */
export const PAGES: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join('docs', file.split(path.sep).join('/')))
    .sort(),
];

/** The blocks of a page in a language, such as `sh`; the indentation of a list is taken away. */
export function blocksOf(page: string, language: string): string[] {
  const fences = read(page).matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm);
  return [...fences]
    .filter(([, , name]) => name === language)
    .map(([, indent, , text]) => text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** The anchors of a page, as GitHub makes them from the headings. */
export function anchorsOf(page: string): Set<string> {
  const text = read(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(
    ([, title]) =>
    title!.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'), // prettier-ignore
  );
  return new Set(anchors);
}

/** The targets of all links of a page. */
export function linksOf(page: string): string[] {
  const text = read(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, ''); // prettier-ignore
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}
