import { long } from '../../support/rounds.js';
import { refusal, signIn } from './support/attempt.js';
import { hostileOp, newOpKey, type HostileOp } from './support/op.js';
import { HandClock, newConnection, newParty } from './support/party.js';

// OIDC Back-Channel Logout 1.0 §2.6: the tokens that end sessions, and those that do not.

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const clock = new HandClock();
let op: HostileOp;
let party: ReturnType<typeof newParty>;

beforeAll(async () => {
  op = await hostileOp(() => clock.now());
  party = newParty(clock);
});

afterAll(async () => {
  await party.close();
  await op.stop();
});

const seconds = (offset = 0): number => clock.now().getTime() / 1000 + offset;
const honest = () => ({
  iss: op.issuer,
  aud: 'client-1',
  sub: 'sub-1',
  sid: 'sid-1',
  iat: seconds(),
  exp: seconds(120),
  jti: 'jti-1',
  events: { [EVENT]: {} },
});
const read = (token: string) => party.protocol.readLogoutToken(newConnection(op.issuer), token);
const readClaims = async (claims: object, header: object = { typ: 'logout+jwt' }) =>
  read(await op.sign({ ...honest(), ...claims }, { ...header }));

async function accepted(): Promise<void> {
  await expect(readClaims({})).resolves.toEqual({
    sub: 'sub-1',
    sid: 'sid-1',
    issuedAt: new Date(seconds(0) * 1000),
    once: { id: 'jti-1', until: new Date(seconds(180) * 1000) },
  });
}

beforeEach(accepted);
afterEach(accepted);

it.each<[string, object, object]>([
  ['a subject alone', { sid: undefined }, { sub: 'sub-1', sid: null }],
  ['a session alone', { sub: undefined }, { sub: null, sid: 'sid-1' }],
  ['no session but null', { sid: null, nbf: null, azp: null, nonce: null }, { sub: 'sub-1', sid: null }],
  ['us in a list', { aud: ['client-1'] }, { sub: 'sub-1' }],
  ['us among several, and our azp', { aud: ['client-2', 'client-1'], azp: 'client-1' }, { sub: 'sub-1' }],
  ['a lifetime of hours', { exp: 4e9 }, {}],
])('accepts a token that names %s', async (_name, claims, expected) => {
  const demand = await readClaims(claims);
  expect(demand).toMatchObject(expected);
  // It is remembered as long as it could be used again.
  expect(demand.once.until.getTime()).toBeLessThanOrEqual(seconds(660) * 1000);
});

it.each([undefined, null])('accepts a token whose exp is %s for two minutes after its iat', async (exp) => {
  const made = seconds(-119);
  const demand = await readClaims({ exp, iat: made });
  // It is remembered until after the last moment in which it is taken.
  expect(demand).toMatchObject({ sub: 'sub-1', once: { id: 'jti-1', until: new Date((made + 180) * 1000) } });
});

it.each([undefined, 'JWT', 'jwt', 'LOGOUT+JWT', 'application/logout+jwt'])('accepts the typ %s', async (typ) => {
  await expect(readClaims({}, { typ })).resolves.toMatchObject({ sub: 'sub-1' });
});

it.each<[string, () => object]>([
  ['another issuer', () => ({ iss: 'https://evil.example.com' })],
  ['no issuer', () => ({ iss: undefined })],
  ['another audience', () => ({ aud: 'client-2' })],
  ['several audiences', () => ({ aud: ['client-1', 'client-2'] })],
  ['several audiences and another azp', () => ({ aud: ['client-1', 'client-2'], azp: 'client-2' })],
  ['no audience', () => ({ aud: undefined })],
  ['an end in the past', () => ({ exp: seconds(-61) })],
  ['no end, and older than two minutes', () => ({ exp: undefined, iat: seconds(-121) })],
  ['no end, and made ahead of our clock', () => ({ exp: undefined, iat: seconds(61) })],
  ['no end and no beginning', () => ({ exp: undefined, iat: undefined })],
  ['no end and no jti', () => ({ exp: undefined, jti: undefined })],
  ['no end and a nonce, which is an ID token', () => ({ exp: undefined, nonce: 'n' })],
  ['no end and a time that it must not be used before', () => ({ exp: undefined, nbf: seconds(400) })],
  ['an end that is no number', () => ({ exp: 'never' })],
  ['no beginning', () => ({ iat: undefined })],
  ['an old beginning', () => ({ iat: seconds(-601) })],
  ['a beginning ahead', () => ({ iat: seconds(301) })],
  ['no jti', () => ({ jti: undefined })],
  ['a jti that is null', () => ({ jti: null })],
  ['neither subject nor session but null', () => ({ sub: null, sid: null })],
  ['an empty jti', () => ({ jti: '' })],
  ['a huge jti', () => ({ jti: 'j'.repeat(256) })],
  ['a nonce', () => ({ nonce: 'n' })],
  ['an empty nonce', () => ({ nonce: '' })],
  ['no events', () => ({ events: undefined })],
  ['events as a list', () => ({ events: [EVENT] })],
  ['another event', () => ({ events: { 'http://schemas.openid.net/event/other': {} } })],
  ['an event that is no object', () => ({ events: { [EVENT]: true } })],
  ['neither subject nor session', () => ({ sub: undefined, sid: undefined })],
  ['a subject that is no text', () => ({ sub: 1 })],
  ['an empty session', () => ({ sid: '' })],
])('refuses a token with %s', async (_name, claims) => {
  expect(await refusal(readClaims(claims()))).toMatch(/^token_refused: The logout token/);
});

it.each(['at+jwt', 'secevent+jwt', 'id_token+jwt'])('refuses the typ %s', async (typ) => {
  expect(await refusal(readClaims({}, { typ }))).toMatch(/^token_refused/);
});

long("refuses an attacker's key, another algorithm and a missing token", async () => {
  const attacker = await newOpKey('RS256', 'key-1');
  expect(await refusal(read(await op.sign(honest(), { typ: 'logout+jwt' }, attacker)))).toMatch(/^token_refused/);
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(honest())).toString('base64url')}.`;
  expect(await refusal(read(unsigned))).toMatch(/^token_refused/);
  for (const token of ['', '.', '..', 'a.b.c', 'x'.repeat(70_000), '\u0000']) {
    expect(await refusal(read(token))).toMatch(/^token_refused/);
  }
});

long('leaves a sign-in its own reading of the keys after tokens of callers', async () => {
  const attacker = await newOpKey('RS256', 'made-up');
  const own = newParty(clock);
  try {
    const connection = newConnection(op.issuer);
    expect((await signIn(own.protocol, connection, op)).subject).toBe('sub-1');
    const looks = () => op.count('/jwks');
    const before = looks();
    const send = async (claims: object) =>
      own.protocol.readLogoutToken(connection, await op.sign({ ...honest(), ...claims }, {}, attacker));
    for (const claims of [{ iss: 'x' }, { aud: 'x' }, { exp: 1 }, { events: {} }]) {
      expect(await refusal(send(claims))).toMatch(/^token_refused/);
    }
    expect(looks()).toBe(before);
    for (let i = 0; i < 5; i++) expect(await refusal(send({}))).toMatch(/^token_refused/);
    expect(looks()).toBe(before + 1);
    op.signing = await newOpKey('RS256', 'key-2');
    expect((await signIn(own.protocol, connection, op)).subject).toBe('sub-1');
    expect(looks()).toBe(before + 2);
  } finally {
    await own.close();
    op.reset();
    clock.advance(60);
  }
});
