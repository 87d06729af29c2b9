import { inflateRawSync } from 'node:zlib';
import type { SamlConnection } from '../../../src/auth/connections/connection.js';
import { METADATA_TYPE } from '../../../src/auth/saml/sp-metadata.js';
import { scanXml } from '../../../src/auth/saml/xml-scan.js';
import { attributeOf, everyElement, type XmlElement } from '../../../src/auth/saml/xml-tree.js';
import { samlIdp, SP, type SamlIdp } from './support/idp.js';
import { samlSp, type SamlSp } from './support/protocol.js';

let sp: SamlSp;
let idp: SamlIdp;
beforeAll(async () => {
  [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
});
afterAll(() => sp.close());

async function begin(changes: Partial<SamlConnection> = {}, forceAuthn = false) {
  const step = await sp.protocol.begin(idp.connection(changes), {
    requestId: '_req-1',
    relayState: 'st-1',
    forceAuthn,
  });
  const fields = step.kind === 'redirect' ? Object.fromEntries(new URL(step.url).searchParams) : { ...step.fields };
  const message = Buffer.from(fields['SAMLRequest']!, 'base64');
  const root = scanXml(step.kind === 'redirect' ? inflateRawSync(message) : message);
  return { step, fields, root };
}

function find(root: XmlElement, name: string): XmlElement | undefined {
  return [...everyElement(root)].find((element) => element.name === name);
}

describe('begin', () => {
  it('says who asks, whom, and where the answer goes', async () => {
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

  it('asks for more where the connection does', async () => {
    const { root } = await begin({ nameIdFormat: 'urn:x:persistent', authnContexts: ['urn:x:mfa', 'urn:x:key'] }, true);
    expect(attributeOf(root, 'ForceAuthn')).toBe('true');
    expect(attributeOf(find(root, 'NameIDPolicy')!, 'Format')).toBe('urn:x:persistent');
    const contexts = [...everyElement(root)].filter(({ name }) => name === 'AuthnContextClassRef');
    expect(contexts.map(({ text }) => text)).toEqual(['urn:x:mfa', 'urn:x:key']);
    expect(attributeOf(find(root, 'RequestedAuthnContext')!, 'Comparison')).toBe('exact');
  });

  it('signs only where the connection asks for it', async () => {
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

  it('takes no id that XML would not', async () => {
    const ask = { relayState: 'x', forceAuthn: false };
    for (const requestId of ['', '1abc', 'a b', 'a"b', '_a<']) {
      await expect(sp.protocol.begin(idp.connection(), { ...ask, requestId })).rejects.toThrow(TypeError);
    }
  });
});

describe('our metadata', () => {
  it('says who we are, what we sign with and where we listen', async () => {
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
