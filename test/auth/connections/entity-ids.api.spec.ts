import { long } from '../../support/rounds.js';
import { authAdmin, type AdminTenant, type AuthAdmin } from './support/auth-admin.js';
import { fields, makeConnection, samlWith } from './support/connections.js';
import { certificate } from './support/metadata.js';

// All SAML connections sign with one key: an entity id says for which tenant a request speaks.
let edge: AuthAdmin;
let pem: string;
let other: AdminTenant;
beforeAll(async () => {
  edge = await authAdmin({ API_BASE_URL: 'https://api.example.com:8443' });
  pem = await certificate();
  other = await edge.newTenant();
});
afterAll(() => edge.close());

const saml = (more: object = {}) => samlWith(pem, more);
const create = ({ api }: AdminTenant, sp_entity_id: string) => api.post('/connections', saml({ sp_entity_id }));

describe('an entity id below our own addresses', () => {
  long('is refused, however it is written, when a connection is made and when it is changed', async () => {
    const victim = await makeConnection(edge.tenant, saml({ slug: 'victim' }));
    const { id } = await makeConnection(other, saml());
    for (const entityId of [
      victim.entity_id as string,
      'https://app.example.com/api/auth/metadata/%76ictim',
      'http://app.example.com/api/auth/metadata/victim',
      'HTTPS://APP.EXAMPLE.COM./api/auth/metadata/victim',
      'https://app.example.com',
      'https://anybody@app.example.com/x',
      'https:\\\\app.example.com\\x',
      'https://bridge.example.com/saml',
      'https://api.example.com:8443/saml',
    ]) {
      for (const answer of [
        await create(other, entityId),
        await other.api.patch(`/connections/${id}`, { sp_entity_id: entityId }),
      ]) {
        expect([entityId, answer.status, fields(answer.body)]).toEqual([entityId, 422, ['sp_entity_id']]);
      }
    }
    const idp = await other.api.post('/connections', saml({ idp_entity_id: victim.entity_id }));
    expect([idp.status, fields(idp.body)]).toEqual([422, ['idp_entity_id']]);
  });

  it('is accepted where it is the connection’s own default, and another port is another service', async () => {
    const own = 'https://app.example.com/api/auth/metadata/own-default';
    const made = await makeConnection(other, saml({ slug: 'own-default', sp_entity_id: own }));
    expect(made.entity_id).toBe(own);
    expect((await create(edge.tenant, own)).status).toBe(422);
    expect((await create(edge.tenant, 'https://api.example.com/saml')).status).toBe(201);
  });
});

describe('any other entity id', () => {
  it('belongs to one tenant: another gets 409, also with other letter case and slashes at the end', async () => {
    const { id } = (await create(edge.tenant, 'https://Acme.example.com/saml/')).body;
    const theirs = await makeConnection(other, saml());
    for (const entityId of ['https://acme.example.com/saml', 'HTTPS://ACME.example.com/saml//']) {
      for (const answer of [
        await create(other, entityId),
        await other.api.patch(`/connections/${theirs.id}`, { sp_entity_id: entityId }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([409, 'entity_id_taken']);
        expect(answer.text).not.toContain(id);
      }
    }
    expect((await other.api.get(`/connections/${theirs.id}`)).body.sp_entity_id).toBeNull();
    // One service provider with several IdPs is usual within a tenant.
    expect((await create(edge.tenant, 'https://acme.example.com/saml')).status).toBe(201);
  });

  it('stays with its tenant after the connection is changed or deleted', async () => {
    for (const [n, end] of [
      (id: string) => edge.tenant.api.delete(`/connections/${id}`),
      (id: string) => edge.tenant.api.patch(`/connections/${id}`, { sp_entity_id: null }),
    ].entries()) {
      const entityId = `urn:acme:kept:${n}`;
      const { id } = (await create(edge.tenant, entityId)).body;
      expect((await end(id)).status).toBeLessThan(300);
      expect((await create(other, entityId)).body.code).toBe('entity_id_taken');
      expect((await create(edge.tenant, entityId)).status).toBe(201);
    }
  });

  it('goes to one of two tenants that ask at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const tenants = [edge.tenant, other];
      const answers = await Promise.all(tenants.map((tenant) => create(tenant, `urn:race:${round}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  it('takes its own answer back unchanged', async () => {
    const made = (await create(other, 'urn:as:read')).body;
    const answer = await other.api.patch(`/connections/${made.id}`, { sp_entity_id: made.sp_entity_id, name: 'New' });
    expect([answer.status, answer.body.name]).toEqual([200, 'New']);
  });
});
