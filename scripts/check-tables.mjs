// The order of the rooms holds for SQL as for imports (docs/why/architecture.md): a room writes its own tables alone, and reads those of
// earlier rooms that say so in their `tables.ts`.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOMS } from '../.dependency-cruiser.mjs';

const SQL = /\b(delete\s+from|insert\s+into|update|from|join|using|into|table)\s+(?:only\s+)?([a-z_]+)\b/g;

/** The TypeScript files in a folder and the folders in it. */
export function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    return entry.isDirectory() ? filesIn(file) : file.endsWith('.ts') ? [file] : [];
  });
}

/** The texts of a file in which SQL can stand: strings and templates, without comments. */
function textsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const texts = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ? '));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts.map((text) => text.replace(/--[^\n]*/g, ''));
}

/** What the rooms say in their `tables.ts`. */
function declared(rooms) {
  const owner = new Map();
  const readable = new Set();
  for (const room of rooms) {
    const file = `src/${room}/tables.ts`;
    let text;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      continue;
    }
    for (const [, list, names] of text.matchAll(/const (OWNED|READABLE) = \[([^\]]*)\]/g)) {
      for (const [, table] of names.matchAll(/'([a-z_]+)'/g)) {
        if (list === 'READABLE') readable.add(table);
        else if (owner.has(table)) throw new Error(`${table} is owned by ${owner.get(table)} and by ${room}`);
        else owner.set(table, room);
      }
    }
  }
  return { owner, readable };
}

/** Every statement of a room about a table of another one: `room`, `table`, `file`, and whether it writes. */
function crossings(rooms, owner) {
  return rooms.flatMap((room) =>
    filesIn(`src/${room}`)
      .filter((file) => !ROOMS.some((other) => other.startsWith(`${room}/`) && file.startsWith(`src/${other}/`)))
      .filter((file) => !file.includes('/migrations/') && !file.endsWith('/tables.ts'))
      .flatMap((file) =>
        textsOf(file).flatMap((text) =>
          [...text.matchAll(SQL)]
            .filter(([, , table]) => owner.has(table) && owner.get(table) !== room)
            .map(([, verb, table]) => ({ room, table, file, writes: /^(delete|insert|update|into)/.test(verb) })),
        ),
      ),
  );
}

/** Fails where a statement crosses the order of the rooms. */
export function checkTables() {
  const { owner, readable } = declared(ROOMS);
  const problems = new Set();
  for (const { room, table, file, writes } of crossings(ROOMS, owner)) {
    const to = owner.get(table);
    if (writes) problems.add(`${file} writes ${table}, which belongs to ${to}`);
    else if (ROOMS.indexOf(room) < ROOMS.indexOf(to)) {
      problems.add(`${file} reads ${table}, which belongs to ${to} which comes later`);
    } else if (!readable.has(table)) {
      problems.add(`${file} reads ${table}, which ${to} does not offer (src/${to}/tables.ts)`);
    }
  }
  if (problems.size > 0) throw new Error(`SQL crosses the order of the rooms:\n  ${[...problems].sort().join('\n  ')}`);
}
