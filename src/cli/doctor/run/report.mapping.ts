import { tableOf } from '../../output/table.js';
import type { CheckResult } from '../peer/check.js';

/**
 * Returns the table of a report, and below it each finding with its next step.
 *
 * @param first the name of the first column
 * @param width columns of the terminal; undefined: no limit
 */
export function reportText(first: string, checks: readonly CheckResult[], width: number | undefined): string {
  const hasKinds = checks.some(({ kind }) => kind !== undefined);
  const names = [first, ...(hasKinds ? ['kind'] : []), 'result', 'note'];
  const rows = checks.map(({ name, kind, result, note, findings }) => [
    name,
    ...(hasKinds ? [kind ?? '-'] : []),
    result,
    plain(
      findings.length === 0
        ? (note ?? '-')
        : findings.map(({ code, field }) => (field === null ? code : `${code} ${field}`)).join(', '),
    ),
  ]);
  const blocks = checks.flatMap(({ name, findings }) =>
    findings.map(({ code, field, message, next_step }) =>
      [`\n${name}: ${code}${field === null ? '' : ` (${field})`}`, `  ${message}`, `  Next: ${next_step}`]
        .map(plain)
        .join('\n'),
    ),
  );
  return `${tableOf(names, rows, width)}${blocks.map((block) => `${block}\n`).join('')}`;
}

/** Returns a sentence with the number of checks by result; of a gate, of its tests alone. */
export function summary(all: readonly CheckResult[]): string {
  const tests = all.filter(({ kind }) => kind !== undefined);
  const checks = tests.length === 0 ? all : tests;
  const count = (result: CheckResult['result']) => checks.filter((check) => check.result === result).length;
  const parts = (['passed', 'failed', 'warning', 'skipped'] as const).flatMap((result) =>
    count(result) === 0 ? [] : [`${count(result)} ${result}`],
  );
  return `${parts.join(', ')}.`;
}

/** Text from the service must not move the cursor of the terminal. A line feed at the beginning divides blocks. */
function plain(text: string): string {
  return text.replace(/(?!^\n)\p{Cc}/gu, '�');
}
