import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { sharedApp, type TestApp } from '../../support/app.js';
import { accessTokenOf, askToken, madeClient, type MadeClient } from '../../support/clients.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually, send, type Answer } from '../../support/http.js';
import { hostileOp, newOpKey, type HostileOp } from '../../protocols/oidc/support/op.js';
import { long } from '../../support/rounds.js';

const SUBJECT = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
const AUDIENCE = 'api://bridge';
const DAY = 86_400;

let service: TestApp;
let at: House;
let issuer: HostileOp;
let entra: MadeClient;
beforeAll(async () => {
  service = await sharedApp();
  issuer = await hostileOp(() => new Date());
});
beforeEach(async () => {
  at = await newHouse(service, { profile: 'entra' });
  issuer.reset();
  issuer.signing = await newOpKey();
  entra = await federated(at);
});
afterAll(async () => {
  await issuer.stop();
  await service.close();
});

const federated = (house: House): Promise<MadeClient> =>
  madeClient(house, {
    kind: 'federated',
    issuer: issuer.issuer,
    subject: SUBJECT,
    audience: AUDIENCE,
    jwks_url: `${issuer.issuer}/jwks`,
  });
const seconds = (): number => Math.floor(Date.now() / 1_000);
/** The claims of an assertion of Entra, which has no `jti`. */
const claims = (more: object = {}): Record<string, unknown> => ({
  iss: issuer.issuer,
  sub: SUBJECT,
  aud: AUDIENCE,
  oid: SUBJECT,
  ver: '2.0',
  iat: seconds(),
  nbf: seconds(),
  exp: seconds() + 3_900,
  ...more,
});
const present = (assertion: string, clientId: string | null = entra.id): Promise<Answer> =>
  askToken(service.url, {
    ...(clientId === null ? {} : { client_id: clientId }),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
const reasonOf = async (house = at): Promise<string | undefined> => {
  const { body } = await house.api.get(`/directories/${house.directoryId}`);
  return (body.last_refusal as { reason: string } | null)?.reason;
};

long('gives a token for an assertion of the issuer, which may come again until it ends', async () => {
  const assertion = await issuer.sign(claims());
  for (let i = 0; i < 2; i++) {
    const answer = await present(assertion);
    expect([answer.status, answer.body.expires_in, answer.body.scope]).toEqual([200, 3_600, 'scim']);
    expect((await send('GET', `${service.url}/scim/v2/Users`, answer.body.access_token as string)).status).toBe(200);
  }
  expect(issuer.count('/jwks')).toBe(1);
});

it('uses an assertion with a jti once', async () => {
  const assertion = await issuer.sign(claims({ jti: 'once' }));
  const answers = await Promise.all([present(assertion), present(assertion), present(assertion)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  await eventually(reasonOf, (reason) => reason === 'assertion_replayed');
  expect((await present(await issuer.sign(claims({ jti: 'twice' })))).status).toBe(200);
});

it.each<[string, () => Promise<string> | string, string]>([
  ['another issuer', () => issuer.sign(claims({ iss: 'https://login.example.com' })), 'issuer_mismatch'],
  ['another subject', () => issuer.sign(claims({ sub: 'other' })), 'subject_mismatch'],
  ['another audience', () => issuer.sign(claims({ aud: 'api://other' })), 'audience_mismatch'],
  ['a past end', () => issuer.sign(claims({ iat: seconds() - DAY, exp: seconds() - 61 })), 'assertion_expired'],
  ['a future issue', () => issuer.sign(claims({ iat: seconds() + 90 })), 'assertion_not_yet_valid'],
  ['a long life', () => issuer.sign(claims({ exp: seconds() + 2 * DAY })), 'assertion_lives_too_long'],
  ['another key of the same name', async () => issuer.sign(claims(), {}, await newOpKey()), 'signature_invalid'],
  ['an unknown key', async () => issuer.sign(claims(), {}, await newOpKey('RS256', 'key-9')), 'signature_invalid'],
  ['no signature', () => unsigned({ alg: 'none' }, claims()), 'algorithm_refused'],
  ['a signature by the public key as a secret', () => byPublicKey(claims()), 'algorithm_refused'],
  ['a key of its own', async () => issuer.sign(claims(), { jwk: issuer.signing.jwk }), 'assertion_invalid'],
  ['a text that is no JWT', () => 'x.y', 'assertion_invalid'],
])('refuses an assertion with %s, in the words of an unknown client', async (_, assertion, reason) => {
  const answer = await present(await assertion());
  const unknown = await present('x.y', `${entra.id.slice(0, -8)}00000000`);
  expect([answer.status, answer.text]).toEqual([401, unknown.text]);
  await eventually(reasonOf, (found) => found === reason);
  expect((await present(await issuer.sign(claims()))).status).toBe(200);
});

long('refuses the assertion of another tenant’s client, and gives the tenant its own', async () => {
  const other = await newHouse(service);
  const own = await madeClient(other, {
    kind: 'federated',
    issuer: issuer.issuer,
    subject: 'theirs',
    audience: AUDIENCE,
    jwks_url: `${issuer.issuer}/jwks`,
  });
  const assertion = await issuer.sign(claims({ sub: 'theirs' }));
  expect((await present(assertion, own.id)).status).toBe(200);
  expect((await present(assertion, entra.id)).status).toBe(401);
});

it('reads the keys anew after a rotation, and keeps them through an outage', async () => {
  expect((await present(await issuer.sign(claims()))).status).toBe(200);
  issuer.signing = await newOpKey('RS256', 'key-2');
  expect((await present(await issuer.sign(claims()))).status).toBe(200);
  issuer.tamper.canned['/jwks'] = { status: 503 };
  expect((await present(await issuer.sign(claims()))).status).toBe(200);
});

long.each<[string, () => void, string]>([
  ['are away', () => (issuer.tamper.canned['/jwks'] = { status: 503 }), 'keys_unreachable'],
  ['are 1 MiB', () => (issuer.tamper.canned['/jwks'] = { bytes: 1024 * 1024 }), 'keys_invalid'],
  ['are a page', () => (issuer.tamper.canned['/jwks'] = { type: 'text/html', body: '<html>' }), 'keys_invalid'],
])('refuses an assertion while the keys %s', async (_, spoil, reason) => {
  spoil();
  expect((await present(await issuer.sign(claims()))).status).toBe(401);
  await eventually(reasonOf, (found) => found === reason);
});

long('refuses an assertion when its keys do not arrive, and answers other clients meanwhile', async () => {
  issuer.tamper.canned['/jwks'] = { hang: true };
  const asked = issuer.asked('/jwks');
  const late = present(await issuer.sign(claims()));
  await asked;
  await accessTokenOf(service.url, await madeClient(at));
  expect((await late).status).toBe(401);
  await eventually(reasonOf, (found) => found === 'keys_unreachable');
});

describe('a client with a key of its own', () => {
  let client: MadeClient;
  beforeEach(async () => {
    client = await madeClient(at, { kind: 'private_key_jwt', jwks: { keys: [issuer.signing.jwk] } });
  });
  const own = (more: object = {}): Promise<string> =>
    issuer.sign({
      iss: client.id,
      sub: client.id,
      aud: client.token_url,
      iat: seconds(),
      exp: seconds() + 60,
      jti: `${Math.random()}`,
      ...more,
    });

  long('signs for the address of tokens or the issuer, and needs no client_id beside', async () => {
    const base = client.token_url.replace('/oauth/token', '');
    expect((await present(await own(), client.id)).status).toBe(200);
    expect((await present(await own({ aud: [base] }), null)).status).toBe(200);
    expect(issuer.count('/jwks')).toBe(0);
  });

  it('takes an assertion once, and only one with a jti', async () => {
    const assertion = await own({ iat: undefined });
    expect((await present(assertion, client.id)).status).toBe(200);
    expect((await present(assertion, client.id)).status).toBe(401);
    await eventually(reasonOf, (found) => found === 'assertion_replayed');
    expect((await present(await own({ jti: undefined }), client.id)).status).toBe(401);
    await eventually(reasonOf, (found) => found === 'assertion_without_jti');
  });

  it('may send a certificate along, whose key does not count', async () => {
    const signed = (key?: Awaited<ReturnType<typeof newOpKey>>) =>
      issuer.sign(
        { iss: client.id, sub: client.id, aud: client.token_url, exp: seconds() + 60, jti: `${Math.random()}` },
        { x5c: ['AAAA'] },
        key,
      );
    expect((await present(await signed(), client.id)).status).toBe(200);
    expect((await present(await signed(await newOpKey()), client.id)).status).toBe(401);
  });

  long('is refused for another audience, and with the key of another client', async () => {
    expect((await present(await own({ aud: 'https://other.example.com' }), client.id)).status).toBe(401);
    await eventually(reasonOf, (found) => found === 'audience_mismatch');
    const other = await newOpKey();
    const second = await madeClient(at, { kind: 'private_key_jwt', jwks: { keys: [other.jwk] } });
    expect((await present(await own({ iss: second.id, sub: second.id }), second.id)).status).toBe(401);
    await eventually(reasonOf, (found) => found === 'signature_invalid');
    expect((await present(await own(), second.id)).status).toBe(401);
    await eventually(reasonOf, (found) => found === 'issuer_mismatch');
    expect((await present(await own(), client.id)).status).toBe(200);
  });
});

describe('the recorded cycle of Entra', () => {
  const runner = path.resolve(import.meta.dirname, '../../../scripts/run-scim.mjs');
  const cycle = async (token: string, only: string): Promise<void> => {
    const args = [runner, '--base', `${service.url}/scim/v2`, '--token', token, '--only', only];
    await promisify(execFile)(process.execPath, args, { env: { NODE_OPTIONS: '' } });
  };

  long('passes with a federated credential', async () => {
    const { body } = await present(await issuer.sign(claims()));
    await cycle(body.access_token as string, 'entra-user');
  });

  long('passes while the secret is rotated', async () => {
    const client = await madeClient(at);
    const before = await accessTokenOf(service.url, client);
    const running = cycle(before, 'entra-user-update');
    const secrets = `/directories/${at.directoryId}/clients/${client.id}/secrets`;
    const next = await at.api.post(secrets, { overlap_seconds: 3_600 });
    const after = await accessTokenOf(service.url, { ...client, client_secret: next.body.client_secret as string });
    await Promise.all([running, cycle(after, 'entra-group-lifecycle'), cycle(before, 'entra-manager')]);
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (header: object, body: object): string => `${part(header)}.${part(body)}.`;
function byPublicKey(body: object): string {
  const text = `${part({ alg: 'HS256', kid: 'key-1' })}.${part(body)}`;
  const mac = createHmac('sha256', JSON.stringify(issuer.signing.jwk)).update(text).digest('base64url');
  return `${text}.${mac}`;
}
