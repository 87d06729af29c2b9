import { runCli } from '../../../src/cli/program.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { send } from '../../support/http.js';
import { rounds, someOf } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';
import { DOCTOR_FAULTS, FAULTS } from './faults.js';
import { FaultyPeer } from './faulty-peer.js';

interface Report {
  checks: { name: string; findings: { code: string; field: string | null }[] }[];
}

const PROGRAMS = [['doctor'], ['doctor', 'gate', 'entra'], ['doctor', 'gate', 'okta']];
let service: TestApp;
let peer: FaultyPeer;
beforeAll(async () => {
  service = await sharedApp();
  peer = new FaultyPeer(`${service.url}/scim/v2`);
  await peer.start();
});
beforeEach(async () => {
  // A tenant of its own: faults that hide records leave theirs behind.
  service.tenant = await service.newTenant();
});
afterEach(() => {
  peer.fault = null;
});
afterAll(async () => {
  await peer.stop();
  await service.close();
});

async function fieldsFound(program: readonly string[]): Promise<string[]> {
  let out = '';
  const terminal = {
    out: (text: string) => (out += text),
    err: () => undefined,
    input: async () => service.tenant.scimToken,
  };
  await runCli([...program, peer.url, '--json'], { DATA_DIR: service.dataDir }, terminal);
  const { checks } = JSON.parse(out) as Report;
  return checks.flatMap(({ findings }) =>
    findings.filter(({ code }) => code !== 'long_lived_token').map(({ field }) => String(field)),
  );
}

it('has forty faults and more', () => {
  expect(new Set([...FAULTS, ...DOCTOR_FAULTS].map(({ name }) => name)).size).toBeGreaterThanOrEqual(48);
});

it.each([
  ['doctor', rounds(100, 2)],
  ['doctor gate entra', 1],
  ['doctor gate okta', 1],
])(
  '%s finds nothing where nothing is spoiled, and leaves no record (%i runs)',
  async (program, runs) => {
    for (let run = 0; run < runs; run++) expect(await fieldsFound(program.split(' '))).toEqual([]);
    for (const list of ['Users', 'Groups']) {
      expect((await send('GET', `${service.url}/scim/v2/${list}`, service.tenant.scimToken)).body.totalResults).toBe(0);
    }
  },
  // A hundred runs, each of which waits for a leaver.
  patience(900_000),
);

describe.each(someOf(FAULTS))('$name', (fault) => {
  it.each(PROGRAMS.map((program) => program.join(' ')))('is found by %s, with its field', async (program) => {
    peer.fault = fault;
    expect(await fieldsFound(program.split(' '))).toContainEqual(expect.stringMatching(fault.field));
  });
});

it.each(someOf(DOCTOR_FAULTS))('$name is found by doctor, with its field', async (fault) => {
  peer.fault = fault;
  expect(await fieldsFound(['doctor'])).toContainEqual(expect.stringMatching(fault.field));
});
