import { ENTERPRISE_URN, USER_URN } from '../../../protocols/scim/urns.js';
import { statusIs } from '../forms/expect.rules.js';
import { requestOf, recordId, type Answer, type JsonRecord, finding, type DoctorFinding } from '../forms/finding.js';
import { NoAnswer, type ScimService } from './scim-service.js';

export interface Checked {
  findings: readonly DoctorFinding[];
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

/** Returns a user as IdPs send one: the attributes of the default mappings of Entra and Okta, with letters that are easily lost. */
export function person(service: ScimService, label: string): JsonRecord {
  const name = service.name(label);
  return {
    schemas: [USER_URN, ENTERPRISE_URN],
    userName: `${name}@doctor.example`,
    externalId: `Ext-${name}`,
    active: true,
    displayName: `Zoë ${name}`,
    title: 'Engineer',
    preferredLanguage: 'en-US',
    name: { givenName: 'Zoë', familyName: `O'Doctor`, formatted: `Zoë O'Doctor` },
    emails: [{ type: 'work', value: `${name}.Work@doctor.example`, primary: true }],
    phoneNumbers: [
      { type: 'work', value: '+49 (30) 555-01' },
      { type: 'mobile', value: '+49 170 5550100' },
    ],
    addresses: [
      {
        type: 'work',
        streetAddress: 'Main Street 1',
        locality: 'Berlin',
        region: 'BE',
        postalCode: '10115',
        country: 'DE',
      },
    ],
    [ENTERPRISE_URN]: { employeeNumber: '00701', department: 'Research' },
  };
}

/**
 * Returns the id of the user of a label; the first caller makes the user.
 *
 * @throws {CannotContinue} when the user cannot be made
 */
export async function userId(service: ScimService, label: string): Promise<string> {
  const attributes = person(service, label);
  const made = service.made.find(({ name, id }) => name === attributes['userName'] && id !== undefined);
  if (made?.id !== undefined) return made.id;
  const answer = await service.createUser(attributes);
  return idFrom(answer, statusIs(answer, 201));
}
