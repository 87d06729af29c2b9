import { finding } from '../../../src/cli/doctor/forms/finding.js';
import type { CheckResult } from '../../../src/cli/doctor/peer/check.js';
import { reportText, summary } from '../../../src/cli/commands/doctor.js';

const CHECKS: CheckResult[] = [
  { name: 'paging', result: 'passed', note: '3 Users', findings: [] },
  {
    name: 'errors',
    result: 'failed',
    note: null,
    findings: [finding('status', 'status', 'GET /x is answered 500\u001b[2J.')],
  },
];

it('shows a table, and each finding with its next step, without control characters', () => {
  expect(reportText('check', CHECKS, undefined)).toBe(
    [
      'check   result  note',
      'paging  passed  3 Users',
      'errors  failed  status status',
      '',
      'errors: status (status)',
      '  GET /x is answered 500�[2J.',
      '  Next: Answer with the status that RFC 7644 names for this request.',
      '',
    ].join('\n'),
  );
});

it('shows the kind of a test of a gate', () => {
  expect(reportText('test', [{ ...CHECKS[0]!, kind: 'optional' }], undefined)).toContain('paging  optional  passed');
});

it('counts checks by result', () => {
  expect(summary(CHECKS)).toBe('1 passed, 1 failed.');
});
