import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';
import { OidcDoor } from '../auth/support/doors.js';
import { runCli } from '../../src/cli/program.js';

let service: TestApp;
let house: House;
let door: OidcDoor;
beforeAll(async () => {
  service = await startApp();
  house = await newHouse(service);
  door = await OidcDoor.open(service, house, { directory_id: house.directoryId });
});
afterAll(async () => {
  await door.op.stop();
  await service.close();
});

async function cli(...args: string[]) {
  let out = '';
  let err = '';
  const env = {
    DATA_DIR: service.dataDir,
    TALENT_BRIDGE_URL: service.url,
    TALENT_BRIDGE_API_KEY: house.apiKey,
    OPERATOR_TOKEN: service.operatorToken,
  };
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli([...args, '--json'], env, terminal);
  return { code, err, json: out === '' ? undefined : JSON.parse(out) };
}

it('a connection is checked and tested, and who signed in is seen', async () => {
  expect((await cli('connection', 'check')).json).toMatchObject({ ok: true });
  expect((await cli('connection', 'test')).json.url).toContain(`/api/auth/test/${door.slug}/`);
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'cli' }));
  const tab = door.tab();
  await door.signIn(tab, { sub: 'cli' });
  await door.signIn(door.tab(), { sub: 'nobody' });
  expect((await cli('sign-in', 'list', '--outcome', 'refused')).json).toEqual([
    expect.objectContaining({ reason: 'email_outside_domains' }),
  ]);
  expect((await cli('session', 'list', id)).json).toHaveLength(1);
  expect((await cli('session', 'end', id)).code).toBe(0);
  expect(await tab.who()).toBeNull();
  expect((await cli('session', 'end', 'usr_nobody')).code).toBe(1);
});

it('signing keys are rotated', async () => {
  const { json } = await cli('keys', 'rotate-signing', '--purpose', 'jwt');
  expect(json.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['jwt', 'jwt']);
  expect((await cli('keys', 'rotate-signing', '--purpose', 'other')).err).toContain('purpose');
});
