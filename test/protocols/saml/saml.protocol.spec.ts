import { long } from '../../support/rounds.js';
import { samlIdp, SP, type SamlIdp } from './support/idp.js';
import { samlSp, type SamlSp } from './support/protocol.js';

describe('an answer of an honest IdP', () => {
  let sp: SamlSp;
  let idp: SamlIdp;
  beforeAll(async () => {
    sp = await samlSp();
    idp = await samlIdp();
  });
  afterAll(() => sp.close());

  long('signs a user in with all values of the IdP', async () => {
    const answer = sp.protocol.read(idp.form());
    expect(answer).toMatchObject({ inResponseTo: SP.request, relayState: null, issuer: idp.entityId });
    // Some send the field empty where they have nothing to say.
    expect(sp.protocol.read(new Map([...idp.form(), ['RelayState', '']])).relayState).toBeNull();
    const verified = await sp.protocol.verify(idp.connection(), answer, { requestId: SP.request });
    expect(verified).toMatchObject({ subject: 'ada-1815', idpSession: 'session-1', sessionEnds: null });
    expect({ ...verified.claims }).toEqual({
      'urn:oid:0.9.2342.19200300.100.1.3': 'ada@example.com',
      mail: 'ada@example.com',
      groups: ['staff', 'maths'],
    });
  });
});
