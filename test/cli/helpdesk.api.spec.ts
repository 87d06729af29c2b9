import { sharedApp, type TestApp } from '../support/app.js';
import { commandLine, type Ran } from '../support/cli.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeUser, user } from '../support/scim.js';
import { OidcWay } from '../support/sign-in/connections.js';

let service: TestApp;
let house: House;
let idp: OidcWay;
let helpdesk: (...args: string[]) => Promise<Ran>;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  idp = await OidcWay.open(service, house, { directory_id: house.directoryId });
  const scopes = ['users:read', 'sign-ins:read', 'directories:read'];
  helpdesk = commandLine(service, (await house.api.post('/api-keys', { name: 'helpdesk', scopes })).body.api_key);
});
afterAll(async () => {
  await idp.op.stop();
  await service.close();
});

describe('a key that reads users, sign-ins and directories', () => {
  let userId: string;
  let heldId: string;
  beforeAll(async () => {
    const email = `${fresh()}@e.com`;
    userId = await madeUser(house.scim, user(email, { externalId: 'desk' }));
    await idp.signIn(idp.tab(), { sub: 'desk' });
    heldId = await madeUser(house.scim, user(`${fresh()}@e.com`, { emails: [{ value: email, primary: true }] }));
  });

  it('lists held users, sessions, identities and sign-ins, and shows users and directories', async () => {
    const directory = (await house.api.get(`/directories/${house.directoryId}`)).body.name;
    expect((await helpdesk('held', 'list', '--json')).json).toMatchObject([{ user_id: heldId, reason: 'email_taken' }]);
    expect(await helpdesk('user', 'show', 'desk')).toMatchObject({ code: 0, err: '' });
    expect((await helpdesk('session', 'list', userId, '--json')).json).toHaveLength(1);
    expect((await helpdesk('identity', 'list', userId, '--json')).json).toMatchObject([{ subject: 'desk' }]);
    expect((await helpdesk('sign-in', 'list', '--json')).json).toMatchObject([{ outcome: 'success' }]);
    expect((await helpdesk('directory', 'show', directory, '--json')).json).toMatchObject({ id: house.directoryId });
    for (const list of ['groups', 'rules', 'pending']) {
      expect([list, (await helpdesk('directory', list, directory)).code]).toEqual([list, 0]);
    }
  });

  it('is refused a change with the name of the needed scope', async () => {
    const refused = [
      ['held', 'release', heldId],
      ['session', 'end', userId],
      ['identity', 'release', userId, '--connection-id', idp.id],
      ['directory', 'set', house.directoryId, '--name', 'Mine'],
      ['directory', 'rotate-token', house.directoryId],
    ];
    for (const args of refused) {
      const { code, err } = await helpdesk(...args);
      expect([args[0], code, err]).toEqual([
        args[0],
        4,
        expect.stringContaining('The credential lacks the scope admin.'),
      ]);
    }
    expect((await helpdesk('session', 'list', userId, '--json')).json).toHaveLength(1);
  });
});
