import { long } from '../../support/rounds.js';
import { refusal, signIn } from './support/attempt.js';
import { hostileOp, newOpKey, type HostileOp } from './support/op.js';
import { HandClock, newConnection, newParty } from './support/party.js';

// ID tokens that are well signed and say something wrong: for others, too old, too early, too weak. As with the
// signatures (hostile-idp.spec.ts), the honest token is accepted before and after each.

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

const attempt = (change = {}) => signIn(party.protocol, newConnection(op.issuer, change), op);

async function expectHonest(): Promise<void> {
  op.reset();
  await expect(attempt()).resolves.toMatchObject({ subject: 'sub-1', idpSession: 'sid-1' });
}

async function refused(tamper: () => unknown, change = {}): Promise<string> {
  await expectHonest();
  await tamper();
  const outcome = await refusal(attempt(change));
  await expectHonest();
  return outcome;
}

describe('the claims of an ID token', () => {
  const at = (seconds: number): number => Math.floor(clock.now().getTime() / 1000) + seconds;

  it.each<[string, () => Record<string, unknown>, string]>([
    ['another iss', () => ({ iss: 'https://evil.example.com' }), 'issuer_mismatch'],
    ['iss with a slash', () => ({ iss: `${op.issuer}/` }), 'issuer_mismatch'],
    ['no iss', () => ({ iss: undefined }), 'issuer_mismatch'],
    ['another aud', () => ({ aud: 'client-2' }), 'audience_mismatch'],
    ['our aud with more behind it', () => ({ aud: 'client-10' }), 'audience_mismatch'],
    ['the front of our aud', () => ({ aud: 'client' }), 'audience_mismatch'],
    ['several aud', () => ({ aud: ['client-1', 'client-2'] }), 'audience_mismatch'],
    ['several aud and an azp that is null', () => ({ aud: ['client-1', 'x'], azp: null }), 'audience_mismatch'],
    ['several aud and another azp', () => ({ aud: ['client-1', 'client-2'], azp: 'client-2' }), 'audience_mismatch'],
    ['several aud without us and our azp', () => ({ aud: ['x', 'y'], azp: 'client-1' }), 'audience_mismatch'],
    ['another aud and our azp', () => ({ aud: 'client-2', azp: 'client-1' }), 'audience_mismatch'],
    ['an aud that is no text beside ours', () => ({ aud: ['client-1', 7], azp: 'client-1' }), 'audience_mismatch'],
    ['aud as an object', () => ({ aud: { 0: 'client-1' }, azp: 'client-1' }), 'audience_mismatch'],
    ['our aud twice', () => ({ aud: ['client-1', 'client-1'] }), 'audience_mismatch'],
    ['an empty list of aud', () => ({ aud: [] }), 'audience_mismatch'],
    ['no aud', () => ({ aud: undefined }), 'audience_mismatch'],
    ['another azp', () => ({ azp: 'client-2' }), 'audience_mismatch'],
    ['another nonce', () => ({ nonce: 'other' }), 'nonce_mismatch'],
    ['no nonce', () => ({ nonce: undefined }), 'nonce_mismatch'],
    ['exp past', () => ({ exp: at(-61) }), 'token_expired'],
    ['no exp', () => ({ exp: undefined }), 'claims_invalid'],
    ['exp as text', () => ({ exp: String(at(60)) }), 'claims_invalid'],
    ['no iat', () => ({ iat: undefined }), 'claims_invalid'],
    ['iat old', () => ({ iat: at(-601) }), 'token_expired'],
    ['iat ahead', () => ({ iat: at(301) }), 'token_not_yet_valid'],
    ['nbf ahead', () => ({ nbf: at(61) }), 'token_not_yet_valid'],
    ['nbf as text', () => ({ nbf: 'soon' }), 'claims_invalid'],
    ['no sub', () => ({ sub: undefined }), 'claims_invalid'],
    ['an empty sub', () => ({ sub: '' }), 'claims_invalid'],
    ['a number as sub', () => ({ sub: 1 }), 'claims_invalid'],
    ['a list as sub', () => ({ sub: ['sub-1'] }), 'claims_invalid'],
    ['a sub of 256 characters', () => ({ sub: 's'.repeat(256) }), 'claims_invalid'],
    ['another at_hash', () => ({ at_hash: 'b3RoZXI' }), 'claims_invalid'],
    ['a session that has ended', () => ({ session_expiry: at(-1) }), 'token_expired'],
  ])('%s: refused', async (_name, claims, reason) => {
    expect(await refused(() => (op.tamper.claims = claims()))).toMatch(new RegExp(`^${reason}: `));
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['aud as a list of one', () => ({ aud: ['client-1'] })],
    ['our azp', () => ({ azp: 'client-1' })],
    ['several aud with us first, and our azp', () => ({ aud: ['client-1', 'project'], azp: 'client-1' })],
    ['several aud with us last, and our azp', () => ({ aud: ['a', 'b', 'client-1'], azp: 'client-1' })],
    ['no at_hash', () => ({ at_hash: undefined })],
    [
      'optional claims that are null',
      () => ({ nbf: null, azp: null, at_hash: null, auth_time: null, session_expiry: null, acr: null, email: null }),
    ],
    ['auth_time as a text', () => ({ auth_time: new Date().toISOString() })],
    ['acr as a number and sid as a number', () => ({ acr: 1, sid: 1 })],
    ['acr as a list', () => ({ acr: ['mfa'] })],
    // Ten seconds from the edge: the clock of openid-client runs on during a sign-in. The edge: id-token.rules.spec.
    ['exp past within the skew', () => ({ exp: at(-50) })],
    ['a sub of 255 characters', () => ({ sub: 's'.repeat(255) })],
  ])('%s: taken', async (_name, claims) => {
    expect(await refused(() => (op.tamper.claims = claims()))).toBe('accepted');
  });

  long('null members of the header and of a key are absent', async () => {
    const key = await newOpKey('RS256', 'key-plain');
    const nulls = { use: null, key_ops: null, alg: null, kid: null };
    op.tamper.keys = [{ ...key.jwk, ...nulls } as never];
    op.tamper.idToken = (_header, claims) => op.sign(claims, { kid: null, typ: null, x5c: null, jku: null }, key);
    const connection = newConnection(op.issuer, { id: 'con_null' });
    await expect(signIn(party.protocol, connection, op)).resolves.toMatchObject({ subject: 'sub-1' });
    op.reset();
    await expectHonest();
  });

  it('an authentication method that is not demanded, or none, is too weak', async () => {
    const change = { acrValues: ['mfa', 'phrh'] };
    expect(await refused(() => (op.tamper.claims = { acr: 'pwd' }), change)).toMatch(/^authentication_too_weak: .*pwd/);
    expect(await refused(() => {}, change)).toMatch(/^authentication_too_weak/);
    expect(await refused(() => (op.tamper.claims = { acr: 'phrh' }), change)).toBe('accepted');
  });

  it.each<[string, unknown, string]>([
    ['absent', undefined, 'authentication_too_weak'],
    ['0', 0, 'authentication_too_weak'],
    ['old', 'old', 'authentication_too_weak'],
    ['text', 'text', 'claims_invalid'],
  ])('auth_time %s is refused when an age is demanded', async (_name, value, reason) => {
    const authTime = value === 'old' ? at(-361) : value;
    const change = { maxAgeSeconds: 300 };
    expect(await refused(() => (op.tamper.claims = { auth_time: authTime }), change)).toMatch(new RegExp(`^${reason}`));
    expect(await refused(() => (op.tamper.claims = { auth_time: at(-300) }), change)).toBe('accepted');
  });

  it('claims have no prototype', async () => {
    op.reset();
    const forged = JSON.parse('{"__proto__":{"admin":true},"toString":"x"}') as Record<string, unknown>;
    op.tamper.claims = { ...forged, ['constructor']: 'y' };
    const { claims } = await attempt();
    expect(Object.getPrototypeOf(claims)).toBeNull();
    expect((claims as { admin?: unknown }).admin).toBeUndefined();
    expect(claims).toMatchObject({ sub: 'sub-1', toString: 'x', constructor: 'y' });
  });

  it('session_expiry sets the end of the session', async () => {
    op.reset();
    op.tamper.claims = { session_expiry: at(3600), acr: 'mfa' };
    expect(await attempt()).toMatchObject({ sessionEnds: new Date(at(3600) * 1000), authContext: 'mfa' });
  });
});
