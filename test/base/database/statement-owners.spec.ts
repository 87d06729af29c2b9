import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { INSTALLATION_STATEMENTS } from '../../support/installation-statements.js';

// The gate in front of the pool knows a statement's tenant by its first parameter. What names no tenant uses the share of
// the installation, which all tenants have in common. So the files that send such statements are those of the list; what is
// made by builders and what tests of the API send is recorded there (test/support/statements.ts).
const SRC = path.resolve('src');
const METHODS = new Set(['query', 'queryOnce', 'shaped', 'shapedOnce', 'search', 'execute']);

/** The first parameters of all statements of a file that go to the pool or to what may be the pool. */
function firstParameters(file: string): (string | null)[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(SRC, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: (string | null)[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isStatement(node.expression)) {
      const values = node.arguments[1];
      // A statement in a variable is checked by the journeys: those statements are made by builders that begin with the tenant.
      if (values === undefined) found.push(null);
      else if (ts.isArrayLiteralExpression(values)) found.push(values.elements[0]?.getText() ?? null);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isStatement(callee: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(callee) || !METHODS.has(callee.name.text)) return false;
  return /(^|\.)(db|tx)$/.test(callee.expression.getText());
}

const namesTenant = (first: string | null): boolean =>
  first !== null && /tenant(_?id)?$|^tenant\.id$|^\.\.\./i.test(first);

it('every statement begins with its tenant, but for those of the installation', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('migrations') && !file.startsWith('sandbox'))
    .filter((file) => !file.startsWith(path.join('base', 'database')));
  const others = files.filter((file) => !firstParameters(file).every(namesTenant));
  expect(others.map((file) => file.split(path.sep).join('/')).sort()).toEqual(
    Object.keys(INSTALLATION_STATEMENTS).sort(),
  );
});
