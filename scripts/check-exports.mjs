import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOMS } from '../.dependency-cruiser.mjs';

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    return entry.isDirectory() ? filesIn(file) : /\.m?tsx?$|\.mjs$/.test(file) ? [file] : [];
  });
}

/** The identifiers of a file with their number, and the names that it exports. */
function namesOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const used = new Map();
  const exported = [];
  const visit = (node) => {
    if (ts.isIdentifier(node)) used.set(node.text, (used.get(node.text) ?? 0) + 1);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const statement of source.statements) {
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name)
      : [statement.name];
    for (const name of names) if (name && ts.isIdentifier(name)) exported.push({ name: name.text, isType });
  }
  return { file, used, exported };
}

/**
 * Returns exported names that no other file mentions: `file name`. A type that its own file uses is excepted, since it is
 * part of the signature of another export.
 */
export function unusedExports() {
  const files = ['src', 'test', 'web', 'scripts', 'bin'].flatMap(filesIn).map(namesOf);
  const mentions = new Map();
  for (const { used } of files) for (const name of used.keys()) mentions.set(name, (mentions.get(name) ?? 0) + 1);
  return files
    .filter(({ file }) => file.startsWith('src/') && !/\/migrations\/|\/tables\.ts$/.test(file))
    .flatMap(({ file, used, exported }) =>
      exported
        .filter(({ name, isType }) => mentions.get(name) === 1 && !(isType && used.get(name) > 1))
        .map(({ name }) => `${file} ${name}`),
    );
}

/** Returns exported names that several files declare: `name file, file`. `tables.ts` has the same two names in each room. */
function doubledNames() {
  const places = new Map();
  for (const { file, exported } of filesIn('src')
    .filter((one) => !one.endsWith('/tables.ts'))
    .map(namesOf))
    for (const { name } of exported) places.set(name, (places.get(name) ?? new Set()).add(file));
  return [...places].filter(([, files]) => files.size > 1).map(([name, files]) => `${name} ${[...files].join(', ')}`);
}

/** The room of a file: the longest name of a room that its path begins with. */
const roomOf = (file) =>
  ROOMS.filter((room) => file.startsWith(`src/${room}/`)).sort((a, b) => b.length - a.length)[0] ?? 'start';

/** Returns exported functions, classes (but modules) and types without a docstring that another room imports: `file name`. */
function undocumented() {
  const sources = filesIn('src').map((file) => ({
    file,
    source: ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
  }));
  const used = new Set();
  for (const { file, source } of sources)
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) || !statement.moduleSpecifier.text.startsWith('.')) continue;
      const from = path.posix.join(path.posix.dirname(file), statement.moduleSpecifier.text).replace(/\.js$/, '.ts');
      const bindings = statement.importClause?.namedBindings;
      if (roomOf(from) === roomOf(file) || !bindings || !ts.isNamedImports(bindings)) continue;
      for (const { name, propertyName } of bindings.elements) used.add(`${from} ${(propertyName ?? name).text}`);
    }
  return sources.flatMap(({ file, source }) =>
    source.statements
      .filter(
        (one) => 'name' in one && one.name && ts.isIdentifier(one.name) && !ts.getJSDocCommentsAndTags(one).length,
      )
      .filter(({ name }) => !name.text.endsWith('Module'))
      .map((one) => `${file} ${one.name.text}`)
      .filter((one) => used.has(one)),
  );
}

/**
 * Fails where the source exports a name that no other file mentions, or one name from several files, and where a name that
 * another room uses has no docstring.
 */
export function checkExports() {
  const unused = unusedExports();
  if (unused.length > 0) throw new Error(`exported, and not used in another file:\n  ${unused.join('\n  ')}`);
  const doubled = doubledNames();
  if (doubled.length > 0) throw new Error(`exported under one name by several files:\n  ${doubled.join('\n  ')}`);
  const silent = undocumented();
  if (silent.length > 0) throw new Error(`used by another room, without a docstring:\n  ${silent.join('\n  ')}`);
}
