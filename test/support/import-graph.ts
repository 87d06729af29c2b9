import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Returns the modules that a file of the source imports or re-exports by value; type-only imports are left out. */
function valueImports(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return [];
    return isTypeOnly(statement) ? [] : [path.join(path.dirname(file), specifier.text.replace(/\.js$/, '.ts'))];
  });
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name || !named || !ts.isNamedImports(named)) return false;
  return named.elements.every((element) => element.isTypeOnly);
}

/** Returns all files that are reached by value imports, in the order of their paths, with the starts. */
export function reachedByValue(starts: readonly string[]): string[] {
  const reached = new Set<string>();
  const open = starts.map((start) => path.normalize(start));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...valueImports(file));
  }
  return [...reached].sort();
}
