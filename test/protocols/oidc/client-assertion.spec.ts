import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { newClientKey, publicPart } from '../../../src/protocols/oidc/client-keys.js';
import { refusal, signIn } from './support/attempt.js';
import { hostileOp, type HostileOp } from './support/op.js';
import { HandClock, newConnection, newParty } from './support/party.js';

// How we prove ourselves at a token endpoint.

const clock = new HandClock();
let op: HostileOp;
let party: ReturnType<typeof newParty>;

beforeAll(async () => {
  op = await hostileOp(() => clock.now());
  party = newParty(clock);
});

beforeEach(() => op.reset());

afterAll(async () => {
  await party.close();
  await op.stop();
});

it.each(['ES256', 'RS256'] as const)(
  'makes a client assertion (%s) for the issuer alone, with a short life and for one use',
  async (alg) => {
    const privateKey = await newClientKey(alg);
    const change = { tokenAuth: 'private_key_jwt', clientSecret: null, privateKey: { ...privateKey } } as const;
    const connection = newConnection(op.issuer, { id: `con_${alg}`, ...change });
    await signIn(party.protocol, connection, op);
    await signIn(party.protocol, connection, op);
    const key = await importJWK(publicPart({ ...privateKey }), alg);
    const assertions = op.exchanges.map(({ form }) => form.get('client_assertion')!);
    const read = await Promise.all(
      assertions.map((assertion) =>
        jwtVerify(assertion, key, { currentDate: clock.now(), clockTolerance: 1, subject: 'client-1' }),
      ),
    );
    for (const { payload, protectedHeader } of read) {
      // One text and not a list: CVE-2025-27370.
      expect(payload.aud).toBe(op.issuer);
      expect(payload).toMatchObject({ iss: 'client-1', sub: 'client-1', iat: expect.any(Number) });
      expect(Number.isInteger(payload.iat)).toBe(true);
      // The two clocks are read a moment apart.
      expect(Math.abs(payload.iat! - clock.now().getTime() / 1000)).toBeLessThanOrEqual(1);
      expect(payload.exp! - payload.iat!).toBe(60);
      expect(protectedHeader).toEqual({ alg, kid: privateKey.kid });
    }
    expect(new Set(read.map(({ payload }) => payload.jti)).size).toBe(2);
    expect(op.exchanges[0]!.authorization).toBeUndefined();
    expect(op.exchanges[0]!.form.get('client_assertion_type')).toBe(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    );
    expect(JSON.stringify(decodeProtectedHeader(assertions[0]!))).not.toContain('"d"');
  },
);

it('sends a client secret of the form in the form alone', async () => {
  await signIn(party.protocol, newConnection(op.issuer, { tokenAuth: 'client_secret_post' }), op);
  const [{ form, authorization }] = op.exchanges as [(typeof op.exchanges)[0]];
  expect(Object.fromEntries(form)).toMatchObject({ client_id: 'client-1', client_secret: 'secret-1' });
  expect(authorization).toBeUndefined();
});

it('fails, and does not refuse, without the secret of the connection', async () => {
  const connection = newConnection(op.issuer, { clientSecret: null });
  await expect(refusal(signIn(party.protocol, connection, op))).rejects.toThrow('has no client secret');
  // To leave, none is needed.
  await expect(party.protocol.endSession(connection, { idToken: null, state: 's' })).resolves.toContain('/logout');
});
