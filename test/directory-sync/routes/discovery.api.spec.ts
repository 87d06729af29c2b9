import { startApp, type TestApp } from '../../support/app.js';
import { send, type Client } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { bulk, ENTERPRISE, failure, fresh, GROUP, madeUser, patch, scim, user, USER } from '../../support/scim.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';

let service: TestApp;
const by: Record<string, Client> = {};
const PROFILES = ['tolerant', 'entra', 'okta', 'strict', 'ipsie'] as const;
beforeAll(async () => {
  service = await startApp();
  for (const profile of PROFILES) by[profile] = scim(service.url, (await service.newTenant({ profile })).scimToken);
});
afterAll(() => service.close());

describe('ServiceProviderConfig', () => {
  it('can be read without a credential, and with every kind', async () => {
    const open = await scim(service.url, null).get('/ServiceProviderConfig');
    expect(open.status).toBe(200);
    expect(open.headers.get('content-type')).toBe('application/scim+json');
    expect(open.body.schemas).toEqual([`${CORE}ServiceProviderConfig`]);
    expect((await by['strict']!.get('/ServiceProviderConfig')).body).toEqual(open.body);
    expect(open.body.authenticationSchemes).toMatchObject([
      { type: 'oauthbearertoken', name: expect.any(String), description: expect.any(String) },
      { type: 'oauth2', name: expect.any(String), description: expect.any(String) },
    ]);
    expect(open.text).not.toContain(service.tenant.tenantId);
  });

  long('leaves pagination out when the setting says so, and pages are served all the same', async () => {
    const quiet = await startApp({ SCIM_PAGINATION: 'off' }, service);
    try {
      const client = scim(quiet.url, service.tenant.scimToken);
      const { body } = await client.get('/ServiceProviderConfig');
      expect(body.pagination).toBeUndefined();
      expect(body.sort).toEqual({ supported: true });
      expect((await client.get('/Users?cursor=&count=1')).status).toBe(200);
    } finally {
      await quiet.close();
    }
  });

  it.each(PROFILES)('announces the enforced limits: %s', async (profile) => {
    const directory = by[profile]!;
    const { body: config } = await directory.get('/ServiceProviderConfig');
    const id = await madeUser(directory);

    const { maxOperations, maxPayloadSize } = config.bulk;
    const operations = (n: number) => bulk(Array.from({ length: n }, () => ({ method: 'DELETE', path: '/Users/x' })));
    expect((await directory.post('/Bulk', operations(maxOperations + 1))).status).toBe(413);
    expect((await directory.post('/Bulk', operations(2))).status).toBe(200);
    expect((await directory.post('/Bulk', ' '.repeat(maxPayloadSize + 1))).status).toBe(413);
    expect(config.bulk.supported).toBe(true);

    const { pagination, filter } = config;
    expect(pagination).toMatchObject({ index: true, cursor: true, defaultPaginationMethod: 'index' });
    expect(filter).toEqual({ supported: true, maxResults: pagination.maxPageSize });
    expect(failure(await directory.get(`/Users?cursor=&count=${pagination.maxPageSize + 1}`))).toEqual([
      400,
      'invalidCount',
      '400',
    ]);
    expect((await directory.get(`/Users?cursor=&count=${pagination.maxPageSize}`)).status).toBe(200);
    expect((await directory.get('/Users?startIndex=1')).body.startIndex).toBe(1);

    expect(config.sort.supported).toBe((await directory.get('/Users?sortBy=userName')).status === 200);
    expect(config.patch.supported).toBe(
      (await directory.patch(`/Users/${id}`, patch({ op: 'add', path: 'title', value: 'x' }))).status === 200,
    );
    const etag = (await directory.get(`/Users/${id}`)).headers.get('etag')!;
    expect(config.etag.supported).toBe(
      (await directory.get(`/Users/${id}`, undefined, { 'if-none-match': etag })).status === 304,
    );
    expect(config.changePassword.supported).toBe(false);
  });

  it('announces 100 results of a page by default, and the maximum that a page has', async () => {
    const own = await service.newTenant();
    await service.db.query(
      `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
       select $1, 'usr_p' || i, $2, 'scim', jsonb_build_object('userName', 'p' || i), 'p' || i, 'p' || i, true, 'P', '', 'Observer', 'active', 'none'
       from generate_series(1, 1001) i`,
      [own.tenantId, own.directoryId],
    );
    const directory = scim(service.url, own.scimToken);
    const { body: config } = await directory.get('/ServiceProviderConfig');
    expect((await directory.get('/Users')).body.itemsPerPage).toBe(config.pagination.defaultPageSize);
    expect((await directory.get('/Users?cursor=')).body.itemsPerPage).toBe(config.pagination.defaultPageSize);
    expect((await directory.get('/Users?count=5000&filter=userName%20pr')).body).toMatchObject({
      itemsPerPage: config.filter.maxResults,
      totalResults: 1001,
    });
  });
});

describe('Schemas and ResourceTypes', () => {
  it('name schemas that can be read, each with its own schemas and meta', async () => {
    const directory = by['tolerant']!;
    const types = (await directory.get('/ResourceTypes')).body;
    expect(types).toMatchObject({ totalResults: 2, startIndex: 1, itemsPerPage: 2 });
    for (const type of types.Resources) {
      expect((await directory.get(`/ResourceTypes/${type.id}`)).body).toEqual(type);
      expect(type.meta.location.endsWith(`/ResourceTypes/${type.name}`)).toBe(true);
      expect((await directory.get(type.endpoint)).status).toBe(200);
      for (const urn of [
        type.schema,
        ...(type.schemaExtensions ?? []).map((each: { schema: string }) => each.schema),
      ]) {
        expect((await directory.get(`/Schemas/${urn}`)).body.id).toBe(urn);
      }
    }
    const schemas = (await directory.get('/Schemas')).body;
    expect(schemas.Resources.map((each: { id: string }) => each.id)).toEqual(
      expect.arrayContaining([
        USER,
        GROUP,
        ENTERPRISE,
        `${CORE}ServiceProviderConfig`,
        `${CORE}ResourceType`,
        `${CORE}Schema`,
      ]),
    );
    for (const schema of schemas.Resources) {
      expect(schema.schemas).toEqual([`${CORE}Schema`]);
      expect(schema.meta.resourceType).toBe('Schema');
      expect((await directory.get(`/Schemas/${schema.id.toUpperCase()}`)).body).toEqual(schema);
      expect(JSON.stringify(schema)).not.toContain('null');
    }
  });

  it('declare a password, but not for ipsie', async () => {
    for (const profile of PROFILES) {
      const { body } = await by[profile]!.get(`/Schemas/${USER}`);
      const names = body.attributes.map(({ name }: { name: string }) => name);
      expect([profile, names.includes('password')]).toEqual([profile, profile !== 'ipsie']);
      const id = await madeUser(by[profile]!, user(fresh(), { password: 'p' }));
      const answer = await by[profile]!.patch(`/Users/${id}`, patch({ op: 'replace', path: 'password', value: 'q' }));
      expect([profile, answer.status]).toEqual([profile, profile === 'ipsie' || profile === 'strict' ? 400 : 200]);
    }
  });

  long.each(['tolerant', 'strict'] as const)(
    'declare only attributes that can be written, read, filtered and sorted: %s',
    async (profile) => {
      const directory = by[profile]!;
      const sample = (type: string): unknown =>
        ({ boolean: true, dateTime: '2026-01-01T00:00:00Z', binary: 'MIIB', integer: 1, decimal: 1.5 })[type] ?? 'x';
      interface Declared {
        name: string;
        type: string;
        multiValued: boolean;
        mutability: string;
        returned: string;
        subAttributes?: Declared[];
      }
      for (const urn of [USER, ENTERPRISE]) {
        const attributes = (await directory.get(`/Schemas/${urn}`)).body.attributes as Declared[];
        for (const each of attributes.filter(({ mutability }) => mutability !== 'readOnly')) {
          const one = each.subAttributes
            ? Object.fromEntries(
                each.subAttributes
                  .filter((sub) => sub.mutability !== 'readOnly')
                  .map((sub) => [sub.name, sample(sub.type)]),
              )
            : sample(each.type);
          const value = each.name === 'userName' ? fresh() : each.multiValued ? [one] : one;
          const body = user(
            fresh(),
            urn === USER ? { [each.name]: value } : { schemas: [USER, urn], [urn]: { [each.name]: value } },
          );
          const made = await directory.post('/Users', body);
          expect([each.name, made.status]).toEqual([each.name, 201]);
          const shown = urn === USER ? made.body[each.name] : made.body[urn][each.name];
          expect([each.name, shown]).toEqual([each.name, each.returned === 'never' ? undefined : value]);
          const found = await directory.get(
            `/Users?filter=${encodeURIComponent(`id eq "${made.body.id}" and ${urn}:${each.name} pr`)}`,
          );
          expect([each.name, found.status, found.body.totalResults]).toEqual(
            each.returned === 'never' ? [each.name, 400, undefined] : [each.name, 200, 1],
          );
          expect((await directory.delete(`/Users/${made.body.id}`)).status).toBe(204);
        }
      }
    },
  );
});

describe('refusals', () => {
  it('403 for a filter; other parameters are ignored', async () => {
    const directory = by['tolerant']!;
    for (const path of ['/Schemas', '/ResourceTypes', '/ServiceProviderConfig', `/Schemas/${USER}`]) {
      expect([path, ...failure(await directory.get(`${path}?filter=id%20pr`))]).toEqual([path, 403, undefined, '403']);
      expect((await directory.get(`${path}?startIndex=2&count=1&sortBy=x`)).body).toEqual(
        (await directory.get(path)).body,
      );
    }
  });

  it('401 without a credential, 404 for an unknown schema', async () => {
    for (const path of ['/Schemas', '/ResourceTypes', `/Schemas/${USER}`]) {
      expect(failure(await scim(service.url, null).get(path))).toEqual([401, undefined, '401']);
    }
    for (const path of [
      '/Schemas/urn:ietf:params:scim:api:messages:2.0:PatchOp',
      '/Schemas/x',
      '/ResourceTypes/Me',
      '/ResourceTypes/__proto__',
    ]) {
      expect([path, ...failure(await by['tolerant']!.get(path))]).toEqual([path, 404, undefined, '404']);
    }
  });

  it('501 for /Me, by every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await send(
        method,
        `${service.url}/scim/v2/Me`,
        service.tenant.scimToken,
        method === 'POST' ? {} : undefined,
      );
      expect([method, ...failure(answer)]).toEqual([method, 501, undefined, '501']);
    }
  });
});
