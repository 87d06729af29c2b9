// A file is one idea that a reader would call by a name. One with fewer than 40 lines of code is rarely one, and is named here;
// eslint refuses one with more than 400. Tables, errors, modules, migrations and protocols are small by nature.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { filesIn } from './check-tables.mjs';

const FEW = 40;
const SMALL_BY_NATURE =
  /\.(module|errors|entity)\.ts$|\/tables\.ts$|\/migrations\/|\/protocols\/|\/connectors\/|main\.ts$/;

/** Returns the number of lines with code: without blank lines, comments and imports. */
function codeLines(file) {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const lines = new Set();
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    if (node.kind < ts.SyntaxKind.FirstNode || ts.isTemplateExpression(node)) {
      const [first, last] = [node.getStart(source), node.end].map(
        (at) => source.getLineAndCharacterOfPosition(at).line,
      );
      for (let line = first; line <= last; line++) lines.add(line);
    }
    for (const child of node.getChildren(source)) if (child.kind !== ts.SyntaxKind.JSDoc) visit(child);
  };
  visit(source);
  return lines.size;
}

/** Prints the files that are too small for an idea. They are a warning: a small file can have a reason. */
export function checkSizes() {
  const files = filesIn('src');
  const small = files.filter((file) => !SMALL_BY_NATURE.test(file) && codeLines(file) < FEW);
  console.log(
    `${small.length} of ${files.length} files have fewer than ${FEW} lines of code:\n  ${small.join('\n  ')}`,
  );
}
