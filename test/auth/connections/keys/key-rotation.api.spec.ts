import { randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../../../support/app.js';
import { client, send } from '../../../support/http.js';
import { newHouse } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';
import { madeUser, user } from '../../../support/scim.js';
import { OidcWay, SamlWay } from '../../../support/sign-in/connections.js';
import { pkce } from '../../../support/sign-in/pkce.js';
import { Tab } from '../../../support/sign-in/tab.js';

const APP = 'https://app.example.com';
const newKey = (): string => randomBytes(32).toString('base64');

long('opens every secret of sign-ins after the key was changed', async () => {
  const [older, newer] = [newKey(), newKey()];
  const before = await startApp({ ENCRYPTION_KEY: `older:${older}` });
  const operatorToken = before.operatorToken;
  const beside: TestApp[] = [];
  const startBeside = async (keys: string): Promise<TestApp> => {
    beside.push(await startApp({ ENCRYPTION_KEY: keys, OPERATOR_TOKEN: operatorToken }, before));
    return beside.at(-1)!;
  };
  const house = await newHouse(before);
  const more = { directory_id: house.directoryId, return_origins: [APP] };
  const door = await OidcWay.open(before, house, more);
  try {
    const saml = await SamlWay.open(before, house, more);
    await madeUser(house.scim, user('ada@e.com', { externalId: 'ada' }));
    const tab = door.tab();
    const { verifier: code_verifier, query } = pkce();
    const seen = await door.signIn(tab, { sub: 'ada' }, { return_to: APP, ...query });
    const code = new URL(seen.location!).searchParams.get('code');
    const { body: token } = await send('POST', `${before.url}/api/auth/token`, null, { code, code_verifier });
    expect(token.access_token).toMatch(/^ey/);
    const metadata = await (await fetch(`${before.url}/api/auth/metadata/${saml.slug}`)).text();

    // Each process makes signing keys that are missing, so one with the new key starts after `before` has made them.
    const during = await startBeside(`newer:${newer},older:${older}`);
    const rotated = await client(`${during.url}/api/v1`, operatorToken).post('/tenants/keys/rotate', {});
    expect(rotated.body.resealed).toMatchObject({
      'connections.client_secret_sealed': 1,
      'sessions.id_token_sealed': 1,
      'service_keys.private_key_sealed': 2,
    });

    const after = await startBeside(`newer:${newer}`);
    const look = await send('POST', `${after.url}/api/auth/introspect`, null, { token: token.access_token });
    expect(look.body.active).toBe(true);
    expect(await (await fetch(`${after.url}/api/auth/metadata/${saml.slug}`)).text()).toBe(metadata);
    const later = new Tab(after, tab.jar);
    const out = await later.post('/api/auth/logout');
    expect(new URL(out.location!).searchParams.get('id_token_hint')).toMatch(/^ey/);
    const login = await later.get(`/api/auth/login?connection=${door.slug}`);
    const asked = new URL(login.location!).searchParams;
    door.op.nonce = asked.get('nonce')!;
    door.op.tamper.claims = { sub: 'ada' };
    const again = await later.get(`/api/auth/callback/${door.slug}?code=x&state=${asked.get('state')}`);
    expect(again.status).toBe(303);
    // The client secret was opened: the IdP was shown it.
    expect(door.op.exchanges.at(-1)!.authorization).toBe(
      `Basic ${Buffer.from('client-1:secret-1').toString('base64')}`,
    );
  } finally {
    await door.op.stop();
    for (const service of beside.reverse()) await service.close();
    await before.close();
  }
});
