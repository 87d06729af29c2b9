import { requestOf, recordId, type Answer } from '../forms/answer.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import { NoAnswer } from './http-call.js';
import type { ScimService } from './scim-service.js';

/** What a check came to. */
export interface Checked {
  findings: readonly DoctorFinding[];
  /** A measurement, or why the check was skipped. */
  note?: string;
  isSkipped?: boolean;
}

/** One check of a SCIM service. Its name is stable: scripts and forms use it. */
export interface Check {
  name: string;
  /** Of a test of a gate: a finding in a mandatory one fails the gate, one in an optional one warns. */
  kind?: 'mandatory' | 'optional';
  run: (service: ScimService) => Promise<Checked>;
}

/** The result of a check, as it is reported. */
export interface CheckResult {
  name: string;
  kind?: 'mandatory' | 'optional';
  result: 'passed' | 'failed' | 'warning' | 'skipped';
  note: string | null;
  findings: DoctorFinding[];
}

/** The end of a check that needs what an earlier request did not bring. */
export class CannotContinue extends Error {
  constructor(readonly findings: readonly DoctorFinding[]) {
    super('prerequisite');
    this.name = 'CannotContinue';
  }
}

/** Returns the outcome of a check that does not apply. */
export function skipped(note: string): Checked {
  return { findings: [], note, isSkipped: true };
}

/**
 * Returns the id of the record that an answer has.
 *
 * @param found the findings of the check so far: they are reported in any case
 * @throws {CannotContinue} when there is no id
 */
export function idFrom(answer: Answer, found: readonly DoctorFinding[]): string {
  const id = recordId(answer);
  if (id !== undefined && answer.status < 300) return id;
  const missing = finding('prerequisite', 'id', `The answer ${answer.status} to ${requestOf(answer)} names no record.`);
  throw new CannotContinue([...found, ...(found.length === 0 ? [missing] : [])]);
}

/** Runs a check. What is wrong with the form of its answers is a finding of {@link formCheck}. */
export async function runCheck(service: ScimService, { name, kind, run }: Check): Promise<CheckResult> {
  service.step = name;
  const outcome = await run(service).catch((error: unknown): Checked => {
    if (error instanceof CannotContinue) return { findings: error.findings };
    if (error instanceof NoAnswer) return { findings: [error.finding] };
    throw error;
  });
  const findings = distinct(outcome.findings);
  const bad = kind === 'optional' ? 'warning' : 'failed';
  return {
    name,
    ...(kind === undefined ? {} : { kind }),
    result: findings.length > 0 ? bad : outcome.isSkipped === true ? 'skipped' : 'passed',
    note: outcome.note ?? null,
    findings,
  };
}

/**
 * Checks the form of all answers of a run: one fault of every answer is one finding, and does not fail the checks that look at
 * something else.
 */
export const formCheck: Check = {
  name: 'answers',
  run: (service) => Promise.resolve({ findings: service.takeFormFindings() }),
};

/** Returns one finding for each code and field: the first shows what is wrong. */
function distinct(findings: readonly DoctorFinding[]): DoctorFinding[] {
  const byPlace = new Map<string, DoctorFinding>();
  for (const one of findings) {
    const place = `${one.code} ${one.field}`;
    if (!byPlace.has(place)) byPlace.set(place, one);
  }
  return [...byPlace.values()];
}
