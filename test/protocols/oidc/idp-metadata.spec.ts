import { long, someOf } from '../../support/rounds.js';
import { fresh, refusal } from './support/attempt.js';
import { newOpKey, type Canned } from './support/op.js';
import { newConnection } from './support/party.js';
import { unknownIdp } from './support/unknown-idp.js';

// What an IdP announces, and its keys: how long they are used, and what happens when they change or go away.

const idp = unknownIdp();
const { clock, unknown, attempt, accepted } = idp;

describe('discovery', () => {
  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ['another issuer', () => ({ issuer: 'https://evil.example.com' }), /^issuer_mismatch/],
    ['the issuer with a slash', () => ({ issuer: `${idp.op.issuer}/` }), /^issuer_mismatch/],
    ['no issuer', () => ({ issuer: undefined }), /^issuer_mismatch/],
    ['no token endpoint', () => ({ token_endpoint: undefined }), /^idp_answer_invalid: .*token_endpoint is missing/],
    ['no key set', () => ({ jwks_uri: undefined }), /^idp_answer_invalid: .*jwks_uri is missing/],
    ['no authorization endpoint', () => ({ authorization_endpoint: '' }), /^idp_answer_invalid: .*is missing/],
    ['javascript:', () => ({ authorization_endpoint: 'javascript:alert(1)' }), /^idp_answer_invalid: .*https/],
    ['javascript: at the end', () => ({ end_session_endpoint: 'javascript:alert(1)' }), /^idp_answer_invalid: .*https/],
    ['file:', () => ({ token_endpoint: 'file:///etc/passwd' }), /^idp_answer_invalid: .*https/],
    ['a password', () => ({ token_endpoint: 'https://a:b@idp.example.com/' }), /^idp_answer_invalid: .*password/],
    ['a list', () => ({ token_endpoint: [`${idp.op.issuer}/token`] }), /^idp_answer_invalid: .*complete address/],
  ])('with %s: refused', async (_name, discovery, expected) => {
    await accepted();
    idp.op.tamper.discovery = discovery();
    expect(await refusal(attempt())).toMatch(expected);
    idp.op.reset();
    await accepted();
  });

  it('is read at the address of the connection, and has to name the issuer', async () => {
    // Oracle's identity domains have one issuer for all, and Entra's keys of an application are named under a query.
    const issuer = 'https://identity.example.com/';
    const discoveryUrl = `${idp.op.issuer}/.well-known/openid-configuration?appid=client-1`;
    const elsewhere = newConnection(issuer, { id: 'con_elsewhere', discoveryUrl });
    expect(await refusal(attempt(elsewhere))).toMatch(/^issuer_mismatch/);
    idp.op.tamper.discovery = { issuer };
    idp.op.tamper.claims = { iss: issuer };
    await accepted({ ...elsewhere, id: 'con_elsewhere_2' });
    idp.op.tamper.claims = { iss: idp.op.issuer };
    expect(await refusal(attempt({ ...elsewhere, id: 'con_elsewhere_2' }))).toMatch(/^issuer_mismatch/);
  });

  it('is read once for concurrent callers, again after ten minutes, and after a pause when that fails', async () => {
    const connection = unknown();
    const begin = () => idp.party.protocol.begin(connection, { ...fresh(), prompt: null, loginHint: null });
    const asked = () => idp.op.count('/.well-known/openid-configuration');
    await Promise.all(Array.from({ length: 20 }, begin));
    clock.advance(599);
    await begin();
    expect(asked()).toBe(1);
    clock.advance(1);
    idp.op.tamper.canned['/.well-known/openid-configuration'] = { status: 503 };
    await begin();
    await begin();
    expect(asked()).toBe(2);
    for (const seconds of [2, 5, 15, 60]) {
      clock.advance(seconds - 0.001);
      await begin();
      const before = asked();
      clock.advance(0.001);
      await begin();
      expect([seconds, asked() - before]).toEqual([seconds, 1]);
    }
    expect(asked()).toBe(6);
    clock.advance(24 * 3600);
    expect(await refusal(begin())).toMatch(/^idp_unreachable/);
    idp.op.reset();
    await begin();
  });

  it('is refused when it names another issuer, and the former metadata is not used any more', async () => {
    const connection = unknown();
    await accepted(connection);
    clock.advance(600);
    idp.op.tamper.discovery = { issuer: 'https://evil.example.com' };
    expect(await refusal(attempt(connection))).toMatch(/^issuer_mismatch/);
    expect(await refusal(attempt(connection))).toMatch(/^issuer_mismatch/);
    idp.op.reset();
    await accepted(connection);
  });

  it('of a changed connection is read anew', async () => {
    const connection = unknown();
    await accepted(connection);
    idp.op.tamper.discovery = { issuer: 'https://evil.example.com' };
    expect(await refusal(attempt({ ...connection, version: 2 }))).toMatch(/^issuer_mismatch/);
    await accepted(connection);
  });
});

describe('the key set', () => {
  long('may change between two tokens', async () => {
    const connection = unknown();
    await accepted(connection);
    const before = idp.op.signing;
    idp.op.signing = await newOpKey('RS256', 'key-2');
    await accepted(connection);
    await accepted(connection);
    expect(idp.op.count('/jwks')).toBe(2);
    idp.op.signing = before;
  });

  long('is read twice for a hundred unknown keys', async () => {
    const connection = unknown();
    await accepted(connection);
    for (let i = 0; i < 100; i += 1) {
      idp.op.tamper.idToken = async (header, claims) => {
        const [, rest] = (await idp.op.sign(claims, header)).split(/\.(.*)/s);
        return `${Buffer.from(JSON.stringify({ ...header, kid: `made-up-${i}` })).toString('base64url')}.${rest}`;
      };
      expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key made-up-/);
    }
    expect(idp.op.count('/jwks')).toBe(2);
    idp.op.tamper.idToken = null;
    await accepted(connection);
    expect(idp.op.count('/jwks')).toBe(2);
  });

  long('is used for a minute, so that a withdrawn key verifies nothing after it', async () => {
    const connection = unknown();
    await accepted(connection);
    const [withdrawn, next] = [idp.op.signing, await newOpKey('RS256', 'key-next')];
    idp.op.tamper.keys = [next.jwk];
    clock.advance(59.9);
    await accepted(connection);
    expect(idp.op.count('/jwks')).toBe(1);
    clock.advance(0.1);
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key key-1/);
    idp.op.signing = next;
    await accepted(connection);
    idp.op.signing = withdrawn;
  });

  long('is used for a day while the IdP is away, and for 15 s after it is back', async () => {
    const connection = unknown();
    await accepted(connection);
    idp.op.tamper.canned['/jwks'] = { status: 503 };
    for (let hour = 0; hour < 23; hour++) {
      clock.advance(3_600);
      await accepted(connection);
    }
    for (const seconds of [2, 5]) {
      clock.advance(seconds);
      await accepted(connection);
    }
    delete idp.op.tamper.canned['/jwks'];
    idp.op.tamper.keys = [(await newOpKey('RS256', 'key-next')).jwk];
    clock.advance(15);
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key key-1/);
  });

  long('is read again after 2, 5 and 15 s when it failed, so that a new key works within a minute', async () => {
    for (const away of [1, 2, 3]) {
      const connection = unknown();
      idp.op.reset();
      await accepted(connection);
      const before = idp.op.signing;
      idp.op.signing = await newOpKey('RS256', `key-new-${away}`);
      idp.op.tamper.canned['/jwks'] = { status: 500 };
      for (let i = 0; i < away; i++) {
        expect(await refusal(attempt(connection))).toMatch(/^idp_unreachable/);
        expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
        if (i === away - 1) delete idp.op.tamper.canned['/jwks'];
        clock.advance([2, 5, 15][i]!);
      }
      await accepted(connection);
      expect(idp.op.count('/jwks')).toBe(away + 2);
      idp.op.signing = before;
    }
  });

  long('is read at most five times in a minute for unknown keys', async () => {
    const connection = unknown();
    await accepted(connection);
    const stranger = await newOpKey('RS256', 'stranger');
    idp.op.tamper.idToken = (header, claims) => idp.op.sign(claims, { ...header, kid: 'stranger' }, stranger);
    for (let second = 0; second < 59; second++) {
      expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
      clock.advance(1);
    }
    expect(idp.op.count('/jwks')).toBe(5);
    idp.op.tamper.idToken = null;
  });

  long('is read again two seconds later when it lacked the key, and not sooner', async () => {
    const connection = unknown();
    await accepted(connection);
    const before = idp.op.signing;
    idp.op.signing = await newOpKey('RS256', 'key-3');
    idp.op.tamper.keys = [before.jwk];
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key key-3/);
    idp.op.tamper.keys = null;
    clock.advance(1.999);
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
    clock.advance(0.001);
    await accepted(connection);
    idp.op.signing = before;
  });

  it.each<[string, Canned]>(
    someOf([
      ['500', { status: 500 }],
      ['no answer', { hang: true }],
      ['64 MiB', { bytes: 64 << 20 }],
      ['no keys', { body: '{}' }],
    ]),
  )('stays in use while there is %s, and a new key is found when the IdP is back', async (_name, canned) => {
    const connection = unknown();
    await accepted(connection);
    clock.advance(601);
    idp.op.tamper.canned['/jwks'] = canned;
    await accepted(connection);
    await accepted(connection);
    const before = idp.op.signing;
    idp.op.signing = await newOpKey('RS256', 'key-4');
    expect(await refusal(attempt(connection))).toMatch(/^idp_(unreachable|answer_invalid)/);
    idp.op.reset();
    clock.advance(60);
    await accepted(connection);
    idp.op.signing = before;
  });

  long('leads to a refusal of a wrong signature, with and without the IdP', async () => {
    const connection = unknown();
    await accepted(connection);
    const attacker = await newOpKey('RS256', 'key-1');
    idp.op.tamper.idToken = (header, claims) => idp.op.sign(claims, header, attacker);
    idp.op.tamper.canned['/jwks'] = { status: 500 };
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
    idp.op.reset();
    await accepted(connection);
  });
});
