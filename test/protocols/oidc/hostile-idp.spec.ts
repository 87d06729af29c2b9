import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  type JsonWebKey as NodeJwk,
} from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { long } from '../../support/rounds.js';
import { refusal, signIn } from './support/attempt.js';
import { hostileOp, newOpKey, type HostileOp, type OpKey } from './support/op.js';
import { HandClock, newConnection, newParty } from './support/party.js';

// ID tokens of an IdP that is in an attacker's hands, or of an attacker who got between. Each attack is tried on a
// relying party for which the honest token was accepted just before, and is again right after.

const clock = new HandClock();
let op: HostileOp;
let party: ReturnType<typeof newParty>;
let attacker: OpKey;
let canary: { url: string; hits: () => number; close: () => void };

beforeAll(async () => {
  op = await hostileOp(() => clock.now());
  party = newParty(clock);
  attacker = await newOpKey('RS256', 'key-1');
  canary = await listener();
});

afterAll(async () => {
  await party.close();
  await op.stop();
  canary.close();
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

const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmacSigned = (secret: string | Buffer) => (header: object, claims: object) => {
  const input = `${b64({ ...header, alg: 'HS256' })}.${b64(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};
const reworked = (rework: (token: string) => string) => async (header: object, claims: object) =>
  rework(await op.sign({ ...claims }, { ...header }));

describe('the signature of an ID token', () => {
  const publicPem = async (): Promise<string> => {
    const key = createPublicKey({ key: op.signing.jwk as NodeJwk, format: 'jwk' });
    return key.export({ type: 'spki', format: 'pem' }).toString();
  };
  const publicDer = (): Buffer => {
    const key = createPublicKey({ key: op.signing.jwk as NodeJwk, format: 'jwk' });
    return key.export({ type: 'spki', format: 'der' });
  };

  it.each<[string, () => Promise<HostileOp['tamper']['idToken']> | HostileOp['tamper']['idToken'], RegExp]>([
    [
      'alg none without a signature',
      () => (h, c) => `${b64({ ...h, alg: 'none' })}.${b64(c)}.`,
      /^algorithm_refused: .*none/,
    ],
    ['alg nOnE', () => (h, c) => `${b64({ ...h, alg: 'nOnE' })}.${b64(c)}.`, /^algorithm_refused/],
    ['alg none with a signature', () => (h, c) => `${b64({ ...h, alg: 'none' })}.${b64(c)}.c2ln`, /^algorithm_refused/],
    ['no alg', () => (h, c) => `${b64({ kid: h['kid'] })}.${b64(c)}.c2ln`, /^algorithm_refused/],
    ['an empty signature', () => (h, c) => `${b64(h)}.${b64(c)}.`, /^token_refused/],
    ['HS256 with the public key as PEM', async () => hmacSigned(await publicPem()), /^algorithm_refused: .*HS256/],
    ['HS256 with the public key as DER', () => hmacSigned(publicDer()), /^algorithm_refused/],
    ['HS256 with the public key as JWK', () => hmacSigned(JSON.stringify(op.signing.jwk)), /^algorithm_refused/],
    ['HS256 with the client secret', () => hmacSigned('secret-1'), /^algorithm_refused/],
    ["the attacker's key under the right kid", () => (h, c) => op.sign(c, h, attacker), /^signature_invalid/],
    ['claims changed under the signature', () => reworked((t) => swap(t, { sub: 'admin' })), /^signature_invalid/],
    ['a trailing dot', () => reworked((t) => `${t}.`), /^token_refused/],
    ['five parts', () => reworked((t) => `${t}.a.b`), /^token_refused: .*encrypted/],
    ['garbage', () => () => 'garbage', /^token_refused/],
    ['garbage in three parts', () => () => 'gar.ba.ge', /^token_refused/],
    ['a space in front', () => reworked((t) => ` ${t}`), /^token_refused/],
    ['a line break inside', () => reworked((t) => t.replace('.', '.\n')), /^token_refused/],
    ['a header that is a list', () => (h, c) => `${b64([h])}.${b64(c)}.c2ln`, /^token_refused/],
    [
      'claims that are no JSON',
      () => (h) => `${b64(h)}.${Buffer.from('{').toString('base64url')}.c2ln`,
      /^token_refused/,
    ],
    ['NUL in a claim', () => (h, c) => op.sign({ ...c, sub: 'a\0b' }, h), /^token_refused/],
    [
      'half a character in a claim',
      () => (h, c) => op.sign({ ...c, name: { given: ['\ud800'] } }, h),
      /^token_refused/,
    ],
    ['claims without an end', () => (h) => `${b64(h)}.${nested(10_000)}.c2ln`, /^token_refused/],
    ['nothing', () => () => '', /^(token_refused|idp_answer_invalid)/],
  ])('%s is refused', async (_name, make, expected) => {
    const outcome = await refused(async () => (op.tamper.idToken = await make()));
    expect(outcome).toMatch(expected);
    expect(outcome).not.toMatch(/eyJ/);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['jwk', () => ({ jwk: attacker.jwk })],
    ['jku', () => ({ jku: `${canary.url}/jwks` })],
    ['x5u', () => ({ x5u: `${canary.url}/cert` })],
    ['x5c', () => ({ x5c: ['MIIB'] })],
  ])('a key in the header (%s) is refused and not fetched', async (name, header) => {
    const handMade = (h: object, c: object): string => {
      const input = `${b64({ ...h, ...header() })}.${b64(c)}`;
      return `${input}.${Buffer.from('signature').toString('base64url')}`;
    };
    expect(await refused(() => (op.tamper.idToken = handMade))).toMatch(
      `token_refused: The ID token brings a key of its own (${name})`,
    );
    expect(await refused(() => (op.tamper.idToken = (h, c) => op.sign(c, { ...h, ...header() })))).toMatch(
      /^token_refused/,
    );
    expect(canary.hits()).toBe(0);
  });

  it('a critical extension (crit) is refused', async () => {
    const sign = (h: Record<string, unknown>, c: Record<string, unknown>) =>
      op.sign(c, { ...h, crit: ['x-made-up'], 'x-made-up': true });
    expect(await refused(() => (op.tamper.idToken = sign))).toMatch(/^token_refused: .*crit/);
    const b64Header = (h: Record<string, unknown>, c: Record<string, unknown>): string =>
      `${b64({ ...h, crit: ['b64'], b64: false })}.${b64(c)}.c2ln`;
    expect(await refused(() => (op.tamper.idToken = b64Header))).toMatch(/^token_refused: .*crit/);
  });

  it.each(['logout+jwt', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
    'a token of another kind (%s) is refused',
    async (typ) => {
      expect(await refused(() => (op.tamper.header = { typ }))).toMatch(/^token_refused: .*another kind/);
    },
  );

  it('an algorithm other than the pinned one is refused, and the pinned one is accepted', async () => {
    expect(await refused(() => {}, { idTokenAlg: 'ES256' })).toMatch(/^algorithm_refused: .*RS256; accepted: ES256/);
    expect(await refused(() => {}, { idTokenAlg: 'RS256' })).toBe('accepted');
  });

  it('an algorithm that the IdP does not announce is refused', async () => {
    const change = { id: 'con_announced' };
    const outcome = await refused(
      () => (op.tamper.discovery = { id_token_signing_alg_values_supported: ['ES256', 'HS256'] }),
      change,
    );
    expect(outcome).toMatch(/^algorithm_refused/);
  });

  it.each(['PS256', 'ES256', 'EdDSA'])('%s is taken', async (alg) => {
    const before = op.signing;
    op.reset();
    const connection = newConnection(op.issuer, { id: `con_${alg}` });
    op.signing = await newOpKey(alg, `key-${alg}`);
    op.tamper.claims = { at_hash: undefined };
    await expect(signIn(party.protocol, connection, op)).resolves.toMatchObject({ subject: 'sub-1' });
    op.signing = before;
  });

  it.each<[string, (jwk: JWK) => JWK]>([
    ['for encryption', (jwk) => ({ ...jwk, use: 'enc' })],
    ['for other operations', (jwk) => ({ ...jwk, use: undefined, key_ops: ['encrypt'] })],
    ['for another algorithm', (jwk) => ({ ...jwk, alg: 'RS512' })],
    ['for RSA-OAEP', (jwk) => ({ ...jwk, alg: 'RSA-OAEP' })],
    ['of another kind', (jwk) => ({ ...jwk, kty: 'oct', k: 'c2VjcmV0' })],
    ['of another name', (jwk) => ({ ...jwk, kid: 'key-0' })],
    ['of 16384 bits', (jwk) => ({ ...jwk, n: Buffer.alloc(2048, 255).toString('base64url') })],
    ['without a modulus', (jwk) => ({ ...jwk, n: undefined })],
  ])('a key %s is not used', async (name, rework) => {
    const change = { id: `con_key_${name}` };
    const outcome = await refused(() => (op.tamper.keys = [rework(op.signing.jwk)]), change);
    expect(outcome).toMatch(/^signature_invalid: The IdP has no key/);
  });

  it('RSA of 1024 bits is not used', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256' } as JWK;
    const outcome = await refused(
      () => {
        op.tamper.keys = [jwk];
        op.tamper.idToken = (h, c) => {
          const input = `${b64(h)}.${b64(c)}`;
          return `${input}.${signBytes('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
        };
      },
      { id: 'con_1024' },
    );
    expect(outcome).toMatch(/^signature_invalid: The IdP has no key/);
  });

  long('a token that names no key is tried with each that fits', async () => {
    const others = await Promise.all(['a', 'b'].map(async (kid) => (await newOpKey('RS256', kid)).jwk));
    op.reset();
    op.tamper.keys = [...others, op.signing.jwk];
    op.tamper.header = { kid: undefined };
    const connection = newConnection(op.issuer, { id: 'con_no_kid' });
    await expect(signIn(party.protocol, connection, op)).resolves.toMatchObject({ subject: 'sub-1' });
    op.tamper.idToken = (h, c) => op.sign(c, h, attacker);
    expect(await refusal(signIn(party.protocol, connection, op))).toMatch(/^signature_invalid/);
  });

  it('a key set of a hundred keys is read, one of a hundred and one is not', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true });
    const other = await exportJWK(publicKey);
    const keys = (n: number): JWK[] => [
      ...Array.from({ length: n - 1 }, (_, i) => ({ ...other, kid: `o${i}` })),
      op.signing.jwk,
    ];
    const with101 = await refused(() => (op.tamper.keys = keys(101)), { id: 'con_101' });
    expect(with101).toMatch(/^idp_answer_invalid: The key set has over 100 keys/);
    expect(await refused(() => (op.tamper.keys = keys(100)), { id: 'con_100' })).toBe('accepted');
  });
});

function nested(depth: number): string {
  return Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`).toString('base64url');
}

function swap(token: string, change: object): string {
  const [header, claims, signature] = token.split('.');
  const read = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as object;
  return [header, b64({ ...read, ...change }), signature].join('.');
}

async function listener(): Promise<typeof canary> {
  let hits = 0;
  const server = http.createServer((_req, res) => {
    hits += 1;
    res.end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, hits: () => hits, close: () => void server.close() };
}
