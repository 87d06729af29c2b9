import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { SamlSettings, SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { samlIdp, SP } from './support/idp.js';
import { newKey } from './support/keys.js';
import { samlSp, type SamlSp } from './support/protocol.js';

const require = createRequire(import.meta.url);

const samlp = require('samlp') as { auth: (options: object) => (...args: unknown[]) => void };

let sp: SamlSp;
let key: SamlKeyPair;
let server: Server;
let options: Record<string, unknown> = {};
let connection: SamlSettings;

/** samlp 8 as the IdP, on a plain server: it verifies our request and answers with a page that posts. */
beforeAll(async () => {
  [sp, key] = await Promise.all([samlSp(), newKey('samlp')]);
  server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const idp = await samlIdp('urn:samlp');
  connection = idp.connection({ ssoUrl: `http://127.0.0.1:${port}/sso`, certificates: [key.certificate] });
});
afterAll(async () => {
  await sp.close();
  server.close();
});

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const idp = samlp.auth({
    issuer: 'urn:samlp',
    cert: key.certificate,
    key: key.privateKey,
    signingCert: sp.current.certificate,
    getUserFromRequest: () => ({
      id: 'ada-1815',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com' }],
      displayName: 'Ada Lovelace',
    }),
    getPostURL: (_audience: string, _dom: unknown, _req: unknown, done: (error: null, url: string) => void) =>
      done(null, SP.acs),
    destination: SP.acs,
    recipient: SP.acs,
    sessionIndex: 'samlp-session',
    ...options,
  });
  const url = new URL(req.url ?? '', 'http://x');
  Object.assign(req, {
    query: Object.fromEntries(url.searchParams),
    body: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
    originalUrl: req.url,
  });
  Object.assign(res, { set: (name: string, value: string) => res.setHeader(name, value), send: (body: string) => res.end(body) }); // prettier-ignore
  idp(req, res, (error: Error) => {
    res.statusCode = 400;
    res.end(error.message);
  });
}

/** Goes there as a browser does. Out: the form of the page, or what the IdP says instead. */
async function visit(forceAuthn = false): Promise<Map<string, string> | string> {
  const step = await sp.protocol.begin(connection, {
    requestId: SP.request,
    relayState: 'state-1',
    forceAuthn,
    loginHint: null,
  });
  const response =
    step.kind === 'redirect'
      ? await fetch(step.url)
      : await fetch(step.action, { method: 'POST', body: new URLSearchParams(step.fields) });
  const page = await response.text();
  if (response.status !== 200) return page;
  const fields = [...page.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)];
  return new Map(
    fields.map(([, name, value]) => [name!, value!.replace(/&#(\d+);/g, (_, n) => String.fromCharCode(n))]),
  );
}

async function signIn(): Promise<string> {
  const form = await visit();
  return typeof form === 'string' ? form : sp.outcome(connection, form);
}

describe('samlp as the IdP', () => {
  afterEach(() => {
    options = {};
    connection = { ...connection, signed: 'assertion', ssoBinding: 'redirect', signRequests: true };
  });

  it('verifies our request, and answers with a valid sign-in', async () => {
    const form = (await visit()) as Map<string, string>;
    const read = sp.protocol.read(form);
    expect(read).toMatchObject({ inResponseTo: SP.request, relayState: 'state-1', issuer: 'urn:samlp' });
    const verified = await sp.protocol.verify(connection, read, { requestId: SP.request });
    expect(verified).toMatchObject({ subject: 'ada-1815', idpSession: 'samlp-session' });
    expect(verified.claims['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress']).toBe(
      'ada@example.com',
    );
  });

  it.each<[string, Record<string, unknown>, Partial<SamlSettings>, string]>([
    ['request by POST', {}, { ssoBinding: 'post' }, 'signed in: ada-1815'],
    ['signed Response', { signResponse: true, signAssertion: false }, { signed: 'response' }, 'signed in: ada-1815'],
    ['both signed', { signResponse: true }, { signed: 'both' }, 'signed in: ada-1815'],
    ['unsigned', { signAssertion: false }, {}, 'signature_missing'],
    ['SHA-1', { signatureAlgorithm: 'rsa-sha1', digestAlgorithm: 'sha1' }, {}, 'algorithm_refused'],
    ['other recipient', { recipient: 'https://other.example' }, {}, 'recipient_mismatch'],
    ['other audience', { audience: 'https://other.example' }, {}, 'audience_mismatch'],
    ['another request', { inResponseTo: '_other' }, {}, 'in_response_to_mismatch'],
    ['error', { samlStatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, {}, 'status_not_success'],
  ])('%s', async (_name, idpOptions, changes, expected) => {
    expect(await signIn()).toBe('signed in: ada-1815');
    options = idpOptions;
    connection = { ...connection, ...changes };
    expect(await signIn()).toBe(expected);
    options = {};
    connection = { ...connection, signed: 'assertion', ssoBinding: 'redirect' };
    expect(await signIn()).toBe('signed in: ada-1815');
  });

  it('encrypts to us with its own library', async () => {
    options = {
      encryptionCert: sp.current.certificate,
      encryptionPublicKey: sp.current.certificate,
      encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      disallowEncryptionWithInsecureAlgorithm: false,
      warnOnInsecureEncryptionAlgorithm: false,
    };
    expect(await signIn()).toBe('signed in: ada-1815');
    // AES-CBC proves nothing unless the Response around it is signed.
    options = { ...options, encryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' };
    expect(await signIn()).toBe('algorithm_refused');
    options = { ...options, signResponse: true };
    connection = { ...connection, signed: 'both' };
    expect(await signIn()).toBe('signed in: ada-1815');
  });

  it('refuses our request when it was changed on the way, or signed with another key', async () => {
    const step = await sp.protocol.begin(connection, {
      requestId: SP.request,
      relayState: 'state-1',
      forceAuthn: false,
      loginHint: null,
    });
    const { url } = step as { url: string };
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('RelayState=state-1', 'RelayState=state-2'))).status).toBe(400);
    options = { signingCert: sp.older.certificate };
    expect((await fetch(url)).status).toBe(400);
  });
});
