import { sign, verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { SamlSettings } from '../../../src/protocols/saml/saml-settings.js';
import { METADATA_TYPE } from '../../../src/protocols/saml/sp-metadata.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { attributeOf, everyElement, type XmlElement } from '../../../src/protocols/saml/xml-tree.js';
import { readRedirect } from '../../../src/protocols/saml/redirect.rules.js';
import { isQuerySignedBy, signedAddress, signedXml } from '../../../src/protocols/saml/signing.js';
import { long } from '../../support/rounds.js';
import { newKey } from './support/keys.js';
import { samlIdp, SP, type SamlIdp } from './support/idp.js';
import { samlSp, type SamlSp } from './support/protocol.js';

let sp: SamlSp;
let idp: SamlIdp;
beforeAll(async () => {
  [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
});
afterAll(() => sp.close());

async function begin(changes: Partial<SamlSettings> = {}, forceAuthn = false) {
  const step = await sp.protocol.begin(idp.connection(changes), {
    requestId: '_req-1',
    relayState: 'st-1',
    forceAuthn,
    loginHint: null,
  });
  const fields = step.kind === 'redirect' ? Object.fromEntries(new URL(step.url).searchParams) : { ...step.fields };
  const message = Buffer.from(fields['SAMLRequest']!, 'base64');
  const root = scanXml(step.kind === 'redirect' ? inflateRawSync(message) : message);
  return { step, fields, root };
}

function find(root: XmlElement, name: string): XmlElement | undefined {
  return [...everyElement(root)].find((element) => element.name === name);
}

describe('a request for a sign-in', () => {
  it('names the service provider, the user and the address of the answer', async () => {
    const { step, fields, root } = await begin();
    expect(step.kind).toBe('redirect');
    expect(Object.keys(fields)).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
    expect(fields['SigAlg']).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    expect(Object.fromEntries(root.attributes.map(({ name, value }) => [name, value]))).toEqual({
      ID: '_req-1',
      Version: '2.0',
      IssueInstant: expect.stringMatching(/Z$/),
      ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
      Destination: 'https://idp.example.com/sso',
      AssertionConsumerServiceURL: SP.acs,
    });
    expect(find(root, 'Issuer')!.text).toBe(SP.entityId);
    expect(find(root, 'RequestedAuthnContext')).toBeUndefined();
    expect(attributeOf(find(root, 'NameIDPolicy')!, 'Format')).toBeNull();
  });

  it('has the options of the connection', async () => {
    const { root } = await begin({ nameIdFormat: 'urn:x:persistent', authnContexts: ['urn:x:mfa', 'urn:x:key'] }, true);
    expect(attributeOf(root, 'ForceAuthn')).toBe('true');
    expect(attributeOf(find(root, 'NameIDPolicy')!, 'Format')).toBe('urn:x:persistent');
    const contexts = [...everyElement(root)].filter(({ name }) => name === 'AuthnContextClassRef');
    expect(contexts.map(({ text }) => text)).toEqual(['urn:x:mfa', 'urn:x:key']);
    expect(attributeOf(find(root, 'RequestedAuthnContext')!, 'Comparison')).toBe('exact');
  });

  it('is signed only when the connection asks for it', async () => {
    const { fields } = await begin({ signRequests: false });
    expect(Object.keys(fields)).toEqual(['SAMLRequest', 'RelayState']);
    const unsigned = await begin({ signRequests: false, ssoBinding: 'post' });
    expect(find(unsigned.root, 'Signature')).toBeUndefined();
    const signed = await begin({ ssoBinding: 'post' });
    expect(signed.step).toMatchObject({ kind: 'form', action: 'https://idp.example.com/sso' });
    expect(signed.fields['RelayState']).toBe('st-1');
    expect(attributeOf(find(signed.root, 'DigestMethod')!, 'Algorithm')).toBe(
      'http://www.w3.org/2001/04/xmlenc#sha256',
    );
    expect(attributeOf(find(signed.root, 'Reference')!, 'URI')).toBe('#_req-1');
  });

  it('keeps the parameters that the address of an IdP has already', async () => {
    const { step } = await begin({ ssoUrl: 'https://idp.example.com/sso?idpid=C01&a=b%20c' });
    const query = new URL((step as { url: string }).url).searchParams;
    expect([query.get('idpid'), query.get('a')]).toEqual(['C01', 'b c']);
  });

  it('has the typed name beside the signed parameters, and in a form', async () => {
    const ask = { requestId: '_req-1', relayState: 'st-1', forceAuthn: false, loginHint: "o'hara+x@example.com" };
    const step = await sp.protocol.begin(idp.connection({ ssoUrl: 'https://idp.example.com/sso?a=b' }), ask);
    const { url } = step as { url: string };
    expect(new URL(url).searchParams.get('login_hint')).toBe(ask.loginHint);
    expect(isSigned(url)).toBe(true);
    const form = await sp.protocol.begin(idp.connection({ ssoBinding: 'post' }), ask);
    expect(form).toMatchObject({ fields: { RelayState: 'st-1', login_hint: ask.loginHint } });
    const own = await sp.protocol.begin(idp.connection({ ssoUrl: 'https://idp.example.com/sso?login_hint=x' }), ask);
    expect(new URL((own as { url: string }).url).searchParams.getAll('login_hint')).toEqual(['x']);
  });

  it('is refused with an id that XML does not allow', async () => {
    const ask = { relayState: 'x', forceAuthn: false, loginHint: null };
    for (const requestId of ['', '1abc', 'a b', 'a"b', '_a<']) {
      await expect(sp.protocol.begin(idp.connection(), { ...ask, requestId })).rejects.toThrow(TypeError);
    }
  });
});

/** Whether the address is signed over its octets as they stand there (Bindings §3.4.4.1). */
function isSigned(url: string): boolean {
  const found = /[?&](SAML(?:Request|Response)=[^&]*(?:&RelayState=[^&]*)?&SigAlg=[^&]*)&Signature=([^&]*)/.exec(url)!;
  const { publicKey } = new X509Certificate(sp.current.certificate);
  return verify('sha256', Buffer.from(found[1]!), publicKey, Buffer.from(decodeURIComponent(found[2]!), 'base64'));
}

describe('signatures of queries', () => {
  it.each(['state', "it's (a) ~b * !", 'a+b c&d=e%20f', 'ä\u2028ö', ''])(
    'are over the octets, with %s',
    async (state) => {
      const answer = { inResponseTo: '_x', success: true, relayState: state };
      for (const sloUrl of ['https://idp.example.com/slo', "https://idp.example.com/slo?x=1&y='2'"]) {
        const step = await sp.protocol.logoutResponse(idp.connection({ sloUrl }), answer);
        const { url } = step as { url: string };
        expect(isSigned(url)).toBe(true);
        expect(new URL(url).searchParams.get('RelayState') ?? '').toBe(state);
        expect(new URL(url).searchParams.get('x')).toBe(sloUrl.includes('?') ? '1' : null);
        expect(isSigned(url.replace('SAMLResponse=', 'SAMLResponse=x'))).toBe(false);
      }
    },
  );

  long('are made and verified outside of the event loop', async () => {
    const key = await newKey('large', { bits: 4096 });
    const xml = (await begin({ signRequests: false, ssoBinding: 'post' })).fields['SAMLRequest']!;
    const message = Buffer.from(xml, 'base64').toString();
    const query = 'https://idp.example.com/sso?SAMLRequest=bWVz';
    const read = readRedirect(new URL(await signedAddress(query, key.privateKey)).search);
    expect(await isQuerySignedBy(read, [sp.current.certificate, key.certificate])).toBe(true);
    expect(await isQuerySignedBy(read, [sp.current.certificate])).toBe(false);
    expect(await turnsMeanwhile(() => signedAddress(query, key.privateKey))).toBe(true);
    expect(await turnsMeanwhile(() => signedXml(message, 'AuthnRequest', key.privateKey))).toBe(true);
    expect(await turnsMeanwhile(() => isQuerySignedBy(read, [key.certificate]))).toBe(true);
    // The control: what is done in the event loop is done before the loop turns.
    const inLoop = async () => sign('sha256', Buffer.from(query), key.privateKey);
    expect(await turnsMeanwhile(inLoop)).toBe(false);
  });
});

/** Whether the event loop has turned before the work was done, at least once of 20 times: a machine can be busy. */
async function turnsMeanwhile(work: () => Promise<unknown>): Promise<boolean> {
  for (let i = 0; i < 20; i++) {
    let turned = false;
    setImmediate(() => (turned = true));
    await work();
    if (turned) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

describe('our metadata', () => {
  it('names the entity id, the keys and the addresses of the service provider', async () => {
    const connection = idp.connection({
      nameIdFormat: 'urn:x:persistent',
      spEntityId: 'https://sp.example/?a=1&b="2"',
    });
    const xml = await sp.protocol.metadata(connection);
    const root = scanXml(xml);
    expect(METADATA_TYPE).toBe('application/samlmetadata+xml');
    expect(attributeOf(root, 'entityID')).toBe('https://sp.example/?a=1&b="2"');
    const role = root.children[0]!;
    expect(attributeOf(role, 'AuthnRequestsSigned')).toBe('true');
    expect(attributeOf(role, 'WantAssertionsSigned')).toBe('true');
    expect(role.children.map(({ name }) => name)).toEqual([
      'KeyDescriptor',
      'KeyDescriptor',
      'KeyDescriptor',
      'SingleLogoutService',
      'SingleLogoutService',
      'NameIDFormat',
      'AssertionConsumerService',
    ]);
    expect(role.children.slice(0, 3).map((key) => attributeOf(key, 'use'))).toEqual([
      'signing',
      'signing',
      'encryption',
    ]);
    expect(attributeOf(find(root, 'AssertionConsumerService')!, 'Location')).toBe(SP.acs);
    expect(attributeOf(find(root, 'SingleLogoutService')!, 'Location')).toBe(SP.slo);
    expect(await sp.protocol.metadata(connection)).toBe(xml);
    const response = scanXml(await sp.protocol.metadata(idp.connection({ signed: 'response', signRequests: false })));
    expect(attributeOf(response.children[0]!, 'WantAssertionsSigned')).toBe('false');
    expect(attributeOf(response.children[0]!, 'AuthnRequestsSigned')).toBe('false');
  });
});
