// `npm run docs:diagrams`: draws each Mermaid diagram of `docs` as a picture in `docs/diagrams`, which the service shows in
// its place. A picture is named by the digest of its diagram, so a changed diagram has no picture until this has run.
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { helpOf } from './prepare.mjs';

helpOf();

const DOCS = path.resolve(import.meta.dirname, '../docs');
const FOLDER = path.join(DOCS, 'diagrams');
/** The colours of `src/operations/docs/site/style.css`, for a light and a dark screen. */
const COLOURS = {
  bg: 'light-dark(#fff, #15191d)',
  fg: 'light-dark(#1c2127, #e6e9ec)',
  muted: 'light-dark(#55606b, #a5afb9)',
  line: 'light-dark(#55606b, #a5afb9)',
  border: 'light-dark(#55606b, #a5afb9)',
  surface: 'light-dark(#f4f6f8, #20252b)',
};

/** Returns the picture of a diagram: it loads no font, follows the theme of the reader, and has no frames around labels. */
function draw(diagram) {
  return renderMermaidSVG(diagram, COLOURS)
    .replace(/^ *@import .*\n/m, '')
    .replace(/font-family: [^;}]+/g, 'font-family: Arial, Helvetica, sans-serif')
    .replace('style="', 'style="color-scheme:light dark;')
    .replaceAll('stroke="var(--_inner-stroke)"', 'stroke="none"');
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const file of readdirSync(DOCS, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.md')) continue;
  const markdown = readFileSync(path.join(DOCS, file), 'utf8');
  for (const [, diagram] of markdown.matchAll(/^```mermaid\n(.*?)\n```$/gms)) {
    const name = `${hash('sha256', diagram).slice(0, 16)}.svg`;
    writeFileSync(path.join(FOLDER, name), `${draw(diagram).trimEnd()}\n`);
    console.log(`${file}: docs/diagrams/${name}`);
  }
}
