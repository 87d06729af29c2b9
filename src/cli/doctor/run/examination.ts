import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SPC_URN, LIST_RESPONSE_URN, ERROR_URN } from '../../../protocols/scim/urns.js';
import { CliError, EXIT } from '../../client/cli.errors.js';
import type { Terminal } from '../../output/output.js';
import { valueAt, type Answer, recordId, listedRecords, finding, type DoctorFinding } from '../forms/finding.js';
import { formCheck, runCheck, type Check, type CheckResult } from '../peer/check.js';
import { bearerOf, type Method } from '../peer/grants.js';
import { callPlain, NoAnswer, ScimService, type MadeRecord, evidenceOf } from '../peer/scim-service.js';

/**
 * Looks whether a SCIM service answers at the address and takes the credential.
 *
 * @returns why no check can run, or null
 */
async function obstacle(service: ScimService): Promise<DoctorFinding | null> {
  try {
    const config = await service.get('/ServiceProviderConfig');
    const users = await service.get('/Users?startIndex=1&count=1');
    if (![config, users].some(isScim)) return await notScim(service, config);
    const { status } = users;
    if (status !== 401 && status !== 403) return null;
    const detail = valueAt(users.body, 'detail');
    const words = `${service.address.href} refuses the credential with ${status}`;
    return finding(
      'credential_refused',
      'Authorization',
      `${words}${typeof detail === 'string' ? `: ${detail}` : '.'}`,
    );
  } catch (error) {
    if (error instanceof NoAnswer) return error.finding;
    throw error;
  }
}

function isScim({ body }: Answer): boolean {
  const schemas = valueAt(body, 'schemas');
  return Array.isArray(schemas) && [SPC_URN, LIST_RESPONSE_URN, ERROR_URN].some((urn) => schemas.includes(urn));
}

/** Names the SCIM address where one is known below the address; no credential is sent there. */
async function notScim({ address }: ScimService, { status, headers }: Answer): Promise<DoctorFinding> {
  const target = status >= 300 && status < 400 ? ` to ${headers['location'] ?? 'no address'}` : '';
  const words = `${address.href} is no SCIM service: GET /ServiceProviderConfig is answered ${status}${target}.`;
  const usual = `${address.origin}/scim/v2`;
  const answer = await callPlain({ method: 'GET', url: `${usual}/ServiceProviderConfig`, headers: {} }).catch(
    () => null,
  );
  const isThere = answer !== null && answer.status === 200 && answer.text.includes(SPC_URN);
  return finding(
    isThere || target === '' ? 'not_scim' : 'redirected',
    null,
    isThere ? `${words} There is one at ${usual}.` : words,
  );
}

const ATTEMPTS = 3;
const PAUSE_MS = 500;
const OF_REMOVAL = { isRemoval: true };

/**
 * Deletes all that a run has made, groups first. A record whose id is not known is looked up by its name, which no other record has.
 *
 * @returns the records that are left, or may be
 */
async function removeMade(service: ScimService): Promise<MadeRecord[]> {
  const left: MadeRecord[] = [];
  const groupsFirst = [...service.made].sort((a, b) => a.type.localeCompare(b.type));
  const firsts = groupsFirst.filter((one, place) => groupsFirst.findIndex((other) => isSame(one, other)) === place);
  for (const first of firsts) {
    const records = service.made.filter((other) => isSame(first, other));
    const ids = new Set(records.flatMap(({ id }) => id ?? []));
    if (records.some(({ id }) => id === undefined)) {
      const looked = await lookUp(service, first);
      for (const id of looked ?? []) ids.add(id);
      if (looked === null && records.some(({ id, isRefused }) => id === undefined && !isRefused))
        left.push({ ...first, id: undefined });
    }
    for (const id of ids) if (!(await remove(service, first, id))) left.push({ ...first, id });
  }
  return left;
}

/** Records of one name: made again after a deletion, or refused as a duplicate. */
function isSame(one: MadeRecord, other: MadeRecord): boolean {
  return one.type === other.type && one.name === other.name;
}

/** Returns the ids of the records of this name; null: that cannot be known. */
async function lookUp(service: ScimService, { type, name }: MadeRecord): Promise<string[] | null> {
  const attribute = type === 'User' ? 'userName' : 'displayName';
  const query = encodeURIComponent(`${attribute} eq ${JSON.stringify(name)}`);
  const answer = await answered(() => service.get(`/${type}s?filter=${query}`, OF_REMOVAL));
  if (answer?.status !== 200) return null;
  // A service that ignores the filter answers with other records.
  return listedRecords(answer)
    .filter((record) => String(record[attribute]).toLowerCase() === name.toLowerCase())
    .flatMap(({ id }) => (typeof id === 'string' ? id : []));
}

async function remove(service: ScimService, { type }: MadeRecord, id: string): Promise<boolean> {
  const path = `/${type}s/${encodeURIComponent(id)}`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await answered(() => service.send('DELETE', path, undefined, OF_REMOVAL));
    const after = await answered(() => service.get(path, OF_REMOVAL));
    if (after !== null && isGone(after)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

function isGone(answer: Answer): boolean {
  return (
    answer.status === 404 ||
    (answer.status === 200 && recordId(answer) === undefined && valueAt(answer.body, 'totalResults') === 0)
  );
}

async function answered(call: () => Promise<Answer>): Promise<Answer | null> {
  return call().catch((error: unknown) => {
    if (error instanceof NoAnswer) return null;
    throw error;
  });
}

interface Examination {
  /** The command, such as `doctor gate entra`. */
  program: string;
  address: URL;
  /** All SCIM requests have the token of the first one. None: no SCIM request is sent. */
  methods: readonly Method[];
  checks: readonly Check[];
  evidence: string | undefined;
}

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
