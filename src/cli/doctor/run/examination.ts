import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { CliError, EXIT } from '../../client/cli.errors.js';
import type { Terminal } from '../../output/output.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import { formCheck, runCheck, type Check, type CheckResult } from '../peer/check.js';
import { evidenceOf } from '../peer/evidence.mapping.js';
import { bearerOf, type Method } from '../peer/grants.js';
import { NoAnswer } from '../peer/http-call.js';
import { obstacle } from '../peer/probe.js';
import { removeMade } from '../peer/removal.js';
import { ScimService, type MadeRecord } from '../peer/scim-service.js';

/** What is examined, and with what. */
export interface Examination {
  /** The command, such as `doctor gate entra`. */
  program: string;
  address: URL;
  /** All SCIM requests have the token of the first one. None: no SCIM request is sent. */
  methods: readonly Method[];
  checks: readonly Check[];
  /** The file for requests and answers. */
  evidence: string | undefined;
}

/** What an examination came to. */
export interface Report {
  program: string;
  address: string;
  ok: boolean;
  checks: CheckResult[];
}

/**
 * Runs checks against a SCIM service, and removes what they have made, also after Ctrl-C.
 *
 * @throws {CliError} when the user interrupts the run, with what is left
 */
export async function examine(examination: Examination, terminal: Terminal): Promise<Report> {
  const { program, address, methods, checks, evidence } = examination;
  const stop = new AbortController();
  const forget = terminal.onInterrupt?.(() => {
    stop.abort();
    terminal.err('Interrupted: what was made is removed. Ctrl-C again leaves it there.\n');
  });
  const service = new ScimService(address, '', randomBytes(4).toString('hex'), stop.signal);
  try {
    const before = await firstObstacle(service, methods);
    const results = before === null ? await runAll(service, checks, stop.signal) : [failed('address', [before])];
    const ok = results.every(({ findings }) => findings.length === 0);
    const report = { program, address: address.href, ok, checks: results };
    return JSON.parse(service.secrets.without(JSON.stringify(report))) as Report;
  } finally {
    forget?.();
    if (evidence !== undefined) writeEvidence(evidence, service, program);
  }
}

/** Takes the token of the first method, and looks whether a SCIM service answers to it. */
async function firstObstacle(service: ScimService, methods: readonly Method[]): Promise<DoctorFinding | null> {
  const [first] = methods;
  if (first === undefined) return null;
  service.step = 'address';
  try {
    const { bearer, findings } = await bearerOf(service, first);
    if (bearer === null) return findings[0]!;
    service.bearer = bearer;
    return await obstacle(service);
  } catch (error) {
    if (error instanceof NoAnswer) return error.finding;
    throw error;
  }
}

async function runAll(service: ScimService, checks: readonly Check[], stop: AbortSignal): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let failure: Error | undefined;
  try {
    for (const check of checks) results.push(await runCheck(service, check));
  } catch (error) {
    failure = error as Error;
  }
  if (service.made.length === 0 && !stop.aborted && failure === undefined) return withForms(service, results);
  const removal = await runCheck(service, {
    name: 'clean_up',
    run: async () => {
      const left = await removeMade(service);
      return {
        findings: left.map(leftBehind),
        note: left.length === 0 ? 'nothing is left' : `${left.length} records are left`,
      };
    },
  });
  if (stop.aborted) throw interrupted(removal.findings.filter(({ code }) => code === 'left_behind'));
  if (failure !== undefined) throw failure;
  return withForms(service, [...results, removal]);
}

/** Adds the row about the form of the answers, where SCIM requests were sent. */
async function withForms(service: ScimService, results: readonly CheckResult[]): Promise<CheckResult[]> {
  return service.exchanges.length === 0 ? [...results] : [...results, await runCheck(service, formCheck)];
}

function leftBehind({ type, name, id }: MadeRecord): DoctorFinding {
  return finding(
    'left_behind',
    id ?? name,
    `The ${type.toLowerCase()} ${name} (${id ?? 'id not known'}) may still be there.`,
  );
}

function interrupted(left: readonly DoctorFinding[]): CliError {
  const words = left.length === 0 ? ['All that was made is removed.'] : left.map(({ message }) => message);
  return new CliError(['Interrupted.', ...words].join('\n'), EXIT.interrupted);
}

function failed(name: string, findings: DoctorFinding[]): CheckResult {
  return { name, result: 'failed', note: null, findings };
}

/** Writes requests and answers, without secrets, into a file that its owner alone can read. */
function writeEvidence(file: string, { exchanges, secrets, address }: ScimService, program: string): void {
  const evidence = { program, address: address.href, exchanges: exchanges.map(evidenceOf) };
  writeFileSync(file, `${secrets.without(JSON.stringify(evidence, null, 2))}\n`, { mode: 0o600 });
}
