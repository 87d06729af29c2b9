import { CliError, EXIT } from '../client/cli.errors.js';
import { given, type Command, type CommandOption, type Context } from '../command/command.js';
import { credentialCheck } from '../doctor/checks/access.js';
import { DISCOVERY_CHECKS } from '../doctor/checks/discovery.js';
import { GROUP_CHECKS } from '../doctor/checks/groups.js';
import { PATCH_CHECKS } from '../doctor/checks/patches.js';
import { QUERY_CHECKS } from '../doctor/checks/queries.js';
import { LEAVER_CHECKS, USER_CHECKS } from '../doctor/checks/users.js';
import { entraTests } from '../doctor/gates/entra.js';
import { oktaTests } from '../doctor/gates/okta.js';
import { deploymentChecks } from '../doctor/outside/deployment.js';
import type { Check, CheckResult } from '../doctor/peer/check.js';
import { type Method, CREDENTIAL_FORMS, credentialsOf } from '../doctor/peer/grants.js';
import { examine, type Report } from '../doctor/run/examination.js';
import { tableOf } from '../output/output.js';

/** Returns the checks of `doctor <SCIM address>`, in their order. They make eight records at most. */
function doctorChecks(methods: readonly Method[]): Check[] {
  return [
    credentialCheck(methods),
    ...DISCOVERY_CHECKS,
    ...USER_CHECKS,
    ...QUERY_CHECKS,
    ...PATCH_CHECKS,
    ...GROUP_CHECKS,
    ...LEAVER_CHECKS,
  ];
}

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

const TOKEN_URL: CommandOption = {
  name: 'token_url',
  description:
    'where a client gets its tokens; /.well-known/oauth-authorization-server of the address names it unless set',
};
const EVIDENCE: CommandOption = {
  name: 'evidence',
  description: 'a file for all requests and answers, without secrets',
};
const ADDRESS = {
  name: 'address',
  required: true,
  description: `the SCIM address. The credential comes by ${CREDENTIAL_FORMS}`,
};

/** Commands that look at a deployment from outside, as an IdP does. */
export const DOCTOR_COMMANDS: Command[] = [
  {
    noun: 'doctor',
    verb: '',
    description:
      'Checks a SCIM service from outside, with fewer than ten users and groups named doctor-…, and removes them',
    argument: { ...ADDRESS, required: false },
    options: [
      {
        name: 'service',
        description:
          'the address of a talent-bridge: checks what its settings look like from outside, without a credential',
      },
      TOKEN_URL,
      EVIDENCE,
    ],
    run: doctor,
  },
  {
    noun: 'doctor',
    verb: 'gate entra',
    description: 'Runs the 25 tests of the gallery of Entra ID, with users and groups named doctor-…, and removes them',
    argument: ADDRESS,
    options: [TOKEN_URL, EVIDENCE],
    run: (context) => examination(context, 'doctor gate entra', 'test', entraTests),
  },
  {
    noun: 'doctor',
    verb: 'gate okta',
    description:
      'Runs the tests of the Okta Integration Network, with users and groups named doctor-…, and removes them',
    argument: ADDRESS,
    options: [TOKEN_URL, EVIDENCE],
    run: (context) => examination(context, 'doctor gate okta', 'test', oktaTests),
  },
];

async function doctor(context: Context): Promise<undefined> {
  const { service } = given(context, 'service');
  if (service === undefined && context.argument === undefined) {
    throw new CliError('Give the SCIM address, or the address of a deployment with --service.', EXIT.usage);
  }
  const deployment = service === undefined ? [] : deploymentChecks(addressOf(service));
  if (context.argument !== undefined) {
    return examination(context, 'doctor', 'check', (methods) => [...doctorChecks(methods), ...deployment]);
  }
  const { evidence } = given(context, 'evidence');
  const examined = {
    program: 'doctor --service',
    address: addressOf(service!),
    methods: [],
    checks: deployment,
    evidence,
  };
  showReport(context, 'check', await examine(examined, context.terminal));
  return undefined;
}

async function examination(
  context: Context,
  program: string,
  column: string,
  checksFor: (methods: readonly Method[]) => Check[],
): Promise<undefined> {
  const address = addressOf(context.argument!);
  const methods = await methodsOf(context);
  const { evidence } = given(context, 'evidence');
  const report = await examine({ program, address, methods, checks: checksFor(methods), evidence }, context.terminal);
  showReport(context, column, report);
  return undefined;
}

/** Prints a report; the exit code is 1 where it has findings. */
function showReport({ options, terminal }: Context, column: string, report: Report): void {
  const { ok, checks } = report;
  const [only] = checks;
  const isSentence = checks.length === 1 && only!.name === 'address';
  if (options['json'] === true) terminal.out(`${JSON.stringify({ ...report, summary: summary(checks) }, null, 2)}\n`);
  else if (!isSentence) terminal.out(reportText(column, checks, terminal.width));
  if (!ok) throw new CliError(isSentence ? only!.findings[0]!.message : summary(checks));
  terminal.err(`${summary(checks)}\n`);
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CliError(`${text} is no http or https address.`, EXIT.usage);
  if (url.username !== '' || url.password !== '') {
    throw new CliError('The address has a credential in it: give the credential by standard input.', EXIT.usage);
  }
  url.hash = '';
  return url;
}

async function methodsOf(context: Context): Promise<Method[]> {
  const text = (await context.terminal.input?.()) ?? '';
  const credentials = credentialsOf(text);
  if (credentials === null) throw new CliError(`A credential is needed by ${CREDENTIAL_FORMS}.`, EXIT.usage);
  const { token_url: tokenUrl } = given(context, 'token_url');
  return credentials.map((credential) => ({
    credential,
    tokenUrl: tokenUrl === undefined ? undefined : addressOf(tokenUrl).href,
  }));
}
