import fc from '../support/properties.js';
import { startApp, type TestApp } from '../support/app.js';
import { hostileOp, type HostileOp } from '../protocols/oidc/support/op.js';
import { rounds, someOf } from '../support/rounds.js';
import { BackgroundWork } from './support/background.js';
import { Claims, claimSteps, type ClaimKind } from './support/people-claims.js';
import { counts } from './support/counts.js';
import { Company, steps, type Kind } from './support/people-company.js';
import { Invariants } from './support/people-invariants.js';
import { StandInPlatform } from './support/stand-in-platform.js';

// Companies over the years, made up at random: humans come and go by directories, scripts and the platform itself, whose
// records and accounts must stay their own. COMPANIES=1000 SEED=1 makes up more of each kind, and others.
const COMPANIES = Number(process.env['COMPANIES'] ?? rounds(10));
// As many of each kind whose users want the e-mails and keys of others; they are short.
const CLAIM_COMPANIES = Number(process.env['COMPANIES'] ?? rounds(5));
// A failure prints the seed and the path of its company: SEED=… COMPANY=… takes its steps again. SHRINK=1 looks for fewer.
const RUN = {
  numRuns: COMPANIES,
  endOnFailure: process.env['SHRINK'] === undefined,
  ...(process.env['COMPANY'] === undefined ? {} : { path: process.env['COMPANY'] }),
};

const KINDS: Record<string, Kind> = {
  'the e-mail is the userName, with an externalId': { named: 'email', keyed: true },
  'the e-mail is the userName, without an externalId': { named: 'email', keyed: false },
  'a login is the userName, with an externalId': { named: 'login', keyed: true },
  'a login is the userName, without an externalId, and leavers stay on the platform': {
    named: 'login', keyed: false, onDelete: 'inactive',
  },
  'groups give the role': { named: 'login', keyed: true, ruled: true },
  'the guard holds the second leaver': {
    named: 'email', keyed: true, directory: { guard: { people: 1, at_least: 1, percent: 100, day_percent: 100 } },
  },
  'there are three seats': { named: 'login', keyed: true, seats: 3 },
}; // prettier-ignore

// The directories of these request e-mails and keys that other users have, in circles too, and take roles away meanwhile.
const CLAIM_KINDS: Record<string, ClaimKind> = {
  'users exchange e-mails and keys, and sign in unpaired': {
    named: 'login', keyed: true, directory: { default_role: 'Observer' }, linking: 'unpaired',
  },
  'users exchange e-mails and keys, groups give the role, and the connection is paired': {
    named: 'login', keyed: true, ruled: true, linking: 'paired',
  },
  'users exchange e-mails and keys, there are three seats, and sign-ins make users': {
    named: 'login', keyed: true, seats: 3, directory: { default_role: 'Observer' }, linking: 'jit',
  },
  'users exchange userNames that are their e-mails': {
    named: 'email', keyed: false, directory: { default_role: 'Observer' }, linking: 'unpaired',
  },
}; // prettier-ignore

let op: HostileOp;
let service: TestApp;
let platform: StandInPlatform;
let work: BackgroundWork;
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  op = await hostileOp(() => new Date());
  platform = new StandInPlatform();
  await platform.start();
  work = new BackgroundWork(service);
  work.startDelivery();
});
afterAll(async () => {
  await service.close();
  await platform.stop();
  await op.stop();
  if (process.env['COMPANIES'] !== undefined) process.stderr.write(`${JSON.stringify(counts)}\n`);
});

it.each(someOf(Object.entries(KINDS)))(
  '%s',
  async (_name, kind) => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const company = await Company.found(kind, service, work, platform);
        const invariants = new Invariants(company);
        let before = await invariants.moment();
        for (const step of taken) {
          const said = company.seen.length;
          const writer = await company.take(step);
          if (company.seen.length === said) continue;
          await work.settle(company.house.tenantId);
          const after = await invariants.moment();
          if (writer?.state === 'preview' || step.deed === 'preview') invariants.isQuiet(before, after);
          await invariants.hold(after);
          before = after;
        }
        await company.deliver();
        const end = await invariants.moment();
        await invariants.hold(end);
        await invariants.agree(end.users);
      }),
      RUN,
    );
  },
  60_000 + COMPANIES * 10_000,
);

it.each(Object.entries(CLAIM_KINDS).map(([name, kind], n) => [name, kind, n] as const))(
  '%s',
  async (_name, kind, n) => {
    await fc.assert(
      fc.asyncProperty(claimSteps(n), async (taken) => {
        const claims = await Claims.found(kind, service, work, platform, op);
        for (const [i, step] of taken.entries()) {
          await claims.take(step);
          if (i % 4 === 3) await claims.check();
        }
        await claims.end();
      }),
      { ...RUN, numRuns: CLAIM_COMPANIES },
    );
  },
  60_000 + CLAIM_COMPANIES * 10_000,
);
