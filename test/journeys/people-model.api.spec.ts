import fc from '../support/properties.js';
import { startApp, type TestApp } from '../support/app.js';
import { BackgroundWork } from './support/background.js';
import { Company, steps, type Kind } from './support/people-company.js';
import { Invariants } from './support/people-invariants.js';
import { StandInPlatform } from './support/stand-in-platform.js';

// Companies over the years, made up at random: humans come and go by directories, scripts and the platform itself, whose
// records and accounts must stay their own. COMPANIES=4000 SEED=1 makes more of them up, and others.
const COMPANIES = Number(process.env['COMPANIES'] ?? 6);

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

let service: TestApp;
let platform: StandInPlatform;
let work: BackgroundWork;
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  platform = new StandInPlatform();
  await platform.start();
  work = new BackgroundWork(service);
  work.startDelivery();
});
afterAll(async () => {
  await service.close();
  await platform.stop();
});

it.each(Object.entries(KINDS))(
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
      { numRuns: COMPANIES, endOnFailure: true },
    );
  },
  60_000 + COMPANIES * 10_000,
);
