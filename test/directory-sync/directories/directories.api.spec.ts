import { PresentedToken } from '../../../src/base/crypto/tokens.js';
import { ScimTokenStore, ScimTokenUses } from '../../../src/directory-sync/directories/scim-token.store.js';
import { DirectoryStore } from '../../../src/directory-sync/directories/directory.store.js';
import { adminApp, type AdminApp } from '../../support/admin-app.js';
import type { Answer } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let edge: AdminApp;
beforeAll(async () => {
  edge = await adminApp({ BASE_URL: 'https://bridge.example/' });
});
afterAll(() => edge.close());

const call = (method: string, path: string, body?: unknown) =>
  edge.call(method, `/api/v1/directories${path}`, { body });
const create = async (body: object = {}) =>
  (await call('POST', '', { name: 'D', ...body })).body as { id: string; scim_token: string };
const lastAudit = async () => (await edge.call('GET', '/api/v1/audit?limit=1')).body.data[0];
const group = async (directoryId: string, id: string) => {
  await edge.db.query(
    `insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key) values ($1, $2, $3, '{}', $2, $2)`,
    [edge.tenant.id, id, directoryId],
  );
};

describe('a new directory', () => {
  it('has the default settings, and shows its token once', async () => {
    const made = await call('POST', '', { name: 'Okta' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        profile: 'tolerant',
        state: 'live',
        default_role: 'User',
        attribute_map: {},
        on_match: 'link',
        takes_over: null,
        superseded_by: null,
        guard: { percent: 20, people: 200, at_least: 10, within_minutes: 60, day_percent: 30 },
        scim_base_url: 'https://bridge.example/scim/v2',
        last_request_at: null,
        last_refusal: null,
        last_unknown_role: null,
      },
    });
    const found = await edge.app.get(ScimTokenStore).find(new PresentedToken(made.body.scim_token));
    expect(found).toMatchObject({ tenantId: edge.tenant.id, directoryId: made.body.id });
    expect((await call('GET', `/${made.body.id}`)).text).not.toContain(made.body.scim_token);
  });

  it('can have every setting', async () => {
    const old = await create();
    const body = {
      name: 'Entra',
      profile: 'entra',
      state: 'preview',
      default_role: null,
      attribute_map: { external_id: 'employeeNumber', email: 'userName', first_name: 'nickName', last_name: null },
      on_match: 'refuse',
      takes_over: old.id,
      guard: { percent: 5, people: 20 },
    };
    const made = await call('POST', '', body);
    expect(made.body).toMatchObject({
      ...body,
      attribute_map: { external_id: 'employeeNumber', email: 'userName', first_name: 'nickName' },
      guard: { percent: 5, people: 20, at_least: 10, within_minutes: 60, day_percent: 30 },
    });
    // While the new one is in preview, the old one stays the writer.
    const store = edge.app.get(DirectoryStore);
    expect((await call('GET', `/${old.id}`)).body.superseded_by).toBeNull();
    expect(await store.get(edge.tenant.id, old.id)).toMatchObject({ superseded: false, hasSuccessor: true });
    await call('PATCH', `/${made.body.id}`, { state: 'live' });
    expect((await call('GET', `/${old.id}`)).body.superseded_by).toBe(made.body.id);
    expect(await store.get(edge.tenant.id, old.id)).toMatchObject({
      superseded: true,
      supersededBy: made.body.id,
      defaultRole: 'User',
    });
    expect(await store.get(edge.tenant.id, made.body.id)).toMatchObject({
      tenantId: edge.tenant.id,
      profile: 'entra',
      state: 'live',
      defaultRole: null,
      onMatch: 'refuse',
      takesOver: old.id,
      superseded: false,
      hasRules: false,
      mayGrantConsole: false,
    });
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a name with a tick', { name: 'Okta ✓' }, 'name'],
    ['our own name', { name: 'Talent-Bridge' }, 'name'],
    ['an unknown profile', { profile: 'ldap' }, 'profile'],
    ['an unknown role', { default_role: 'Boss' }, 'default_role'],
    ['an attribute that cannot feed it', { attribute_map: { external_id: 'password' } }, 'attribute_map.external_id'],
    ['a field that is not fed', { attribute_map: { role: 'title' } }, 'attribute_map.role'],
    ['a directory that is none', { takes_over: 'dir_x' }, 'takes_over'],
    ['a guard of more than all', { guard: { percent: 101 } }, 'guard'],
    ['a figure that is none', { guard: { hours: 1 } }, 'guard'],
    ['a guard that is a number', { guard: 5 }, 'guard'],
    ['an unknown field', { token: 'x' }, 'token'],
  ])('422: %s', async (_, body, field) => {
    const answer = await call('POST', '', { name: 'D', ...body });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });
});

describe('take-overs', () => {
  const takes = (id: string, other: string | null) => call('PATCH', `/${id}`, { takes_over: other });

  it('have one successor each and no circle; a chain is allowed', async () => {
    const [first, second, third] = [await create(), await create(), await create()];
    expect((await takes(second.id, first.id)).status).toBe(200);
    expect((await takes(third.id, second.id)).status).toBe(200);
    for (const [id, other] of [
      [first.id, second.id],
      [first.id, third.id],
      [third.id, first.id],
    ] as const) {
      const refused = await takes(id, other);
      expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'takes_over']);
    }
    expect((await takes(second.id, first.id)).status).toBe(200);
    expect((await takes(second.id, null)).status).toBe(200);
    expect((await takes(third.id, first.id)).status).toBe(200);
  });

  long('accept one of two requests at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await create(), await create()];
      const answers = await Promise.all([takes(one.id, other.id), takes(other.id, one.id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });
});

describe('a change', () => {
  it('merges fields, is in the log with both values, and is in force at once', async () => {
    const { id } = await create({ attribute_map: { external_id: 'userName', email: 'userName' } });
    const store = edge.app.get(DirectoryStore);
    expect((await store.get(edge.tenant.id, id)).guard).toMatchObject({ percent: 20 });
    const changed = await call('PATCH', `/${id}`, { name: 'New', attribute_map: { email: null }, guard: 'off' });
    expect(changed.body).toMatchObject({
      name: 'New',
      attribute_map: { external_id: 'userName' },
      guard: 'off',
      profile: 'tolerant',
    });
    expect(await store.get(edge.tenant.id, id)).toMatchObject({ name: 'New', guard: 'off' });
    expect(await lastAudit()).toMatchObject({
      action: 'directory.changed',
      target_id: id,
      before: { name: 'D' },
      after: { name: 'New', guard: 'off' },
    });
    expect((await call('PATCH', `/${id}`, { guard: { people: 50 } })).body.guard).toMatchObject({
      people: 50,
      percent: 20,
    });
    expect((await call('PATCH', `/${id}`, { guard: 'on' })).body.guard).toMatchObject({ people: 200 });
  });

  it('calls the ports when roles or the state change', async () => {
    const { id } = await create();
    edge.asked.calls.length = 0;
    await call('PATCH', `/${id}`, { name: 'only the name' });
    expect(edge.asked.calls).toEqual([]);
    await call('PATCH', `/${id}`, { default_role: null });
    await call('PATCH', `/${id}`, { state: 'preview' });
    await call('PATCH', `/${id}`, { state: 'preview' });
    expect(edge.asked.calls).toEqual([`rules ${id}`, `state ${id} preview`]);
  });

  it('accepts its own answer', async () => {
    const { id } = await create();
    const { body } = await call('GET', `/${id}`);
    expect((await call('PATCH', `/${id}`, body)).status).toBe(200);
  });

  it('422: taking over itself', async () => {
    const { id } = await create();
    expect((await call('PATCH', `/${id}`, { takes_over: id })).status).toBe(422);
  });
});

describe('rules', () => {
  it('are an ordered list with ids of groups, replaced as a whole', async () => {
    const { id } = await create();
    await group(id, 'grp_a');
    await group(id, 'grp_b');
    edge.asked.calls.length = 0;
    const rules = [
      { group_id: 'grp_b', role: 'Admin' },
      { group_id: 'grp_a', role: 'Observer' },
    ];
    const put = await call('PUT', `/${id}/rules`, { rules });
    expect(put.body).toEqual({
      rules: [
        { group_id: 'grp_b', group: 'grp_b', role: 'Admin' },
        { group_id: 'grp_a', group: 'grp_a', role: 'Observer' },
      ],
    });
    expect((await call('GET', `/${id}/rules`)).body).toEqual(put.body);
    expect((await edge.app.get(DirectoryStore).get(edge.tenant.id, id)).hasRules).toBe(true);
    await call('PUT', `/${id}/rules`, put.body);
    expect(edge.asked.calls).toEqual([`rules ${id}`]);
    expect((await call('PUT', `/${id}/rules`, { rules: [] })).body).toEqual({ rules: [] });
    expect(await lastAudit()).toMatchObject({ action: 'group_rules.changed', before: rules, after: [] });
  });

  it('422: a group of another directory, an unknown role, no list', async () => {
    const [{ id }, other] = [await create(), await create()];
    await group(other.id, 'grp_other');
    const answer = await call('PUT', `/${id}/rules`, { rules: [{ group_id: 'grp_other', role: 'Boss' }] });
    expect([answer.status, answer.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      422,
      ['rules.0.group_id', 'rules.0.role'],
    ]);
    expect((await call('PUT', `/${id}/rules`, { rules: 'x' })).status).toBe(422);
    expect((await call('PUT', `/${id}/rules`, {})).status).toBe(422);
  });
});

describe('tokens', () => {
  it('are valid side by side; a rotation leaves no gap', async () => {
    const { id, scim_token } = await create();
    const store = edge.app.get(ScimTokenStore);
    const second = (await call('POST', `/${id}/tokens`, { name: 'second' })).body;
    expect(second).toMatchObject({ name: 'second', scim_base_url: 'https://bridge.example/scim/v2' });
    const rotated = (await call('POST', `/${id}/tokens/${second.id}/rotate`, { overlap_seconds: 3600 })).body;
    for (const token of [scim_token, second.scim_token, rotated.scim_token])
      expect(await store.find(new PresentedToken(token))).not.toBeNull();
    const { data } = (await call('GET', `/${id}/tokens`)).body;
    expect(data).toHaveLength(3);
    expect(JSON.stringify(data)).not.toContain(second.scim_token);
    expect((await call('GET', `/${id}/tokens/${second.id}`)).body.revoked_at).not.toBeNull();
    const refused = await call('DELETE', `/${id}/tokens/${second.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'credential_in_use']);
    expect(refused.body.last_used_at).toEqual(expect.any(String));
    expect(await store.find(new PresentedToken(second.scim_token))).not.toBeNull();
    expect((await call('DELETE', `/${id}/tokens/${second.id}?force=yes`)).status).toBe(422);
    expect((await call('DELETE', `/${id}/tokens/${second.id}?force=true`)).status).toBe(204);
    expect(await store.find(new PresentedToken(second.scim_token))).toBeNull();
  });

  it('a rotation keeps the lifetime of a token that ends, and makes one without an end only when asked', async () => {
    const { id } = await create();
    const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const old = (await call('POST', `/${id}/tokens`, { name: 'ends', expires_at })).body;
    const next = (await call('POST', `/${id}/tokens/${old.id}/rotate`, {})).body;
    expect((Date.parse(next.expires_at) - Date.parse(next.created_at)) / 86_400_000).toBeCloseTo(10, 2);
    expect((await call('POST', `/${id}/tokens/${next.id}/rotate`, { expires_at: null })).body.expires_at).toBeNull();
  });

  it('404: the token of another directory', async () => {
    const [one, two] = [await create(), await create()];
    const { data } = (await call('GET', `/${two.id}/tokens`)).body;
    expect((await call('DELETE', `/${one.id}/tokens/${data[0].id}`)).status).toBe(404);
    expect((await call('DELETE', `/${two.id}/tokens/${data[0].id}`)).status).toBe(204);
  });

  it('store the time of the directory’s last request', async () => {
    const { id, scim_token } = await create();
    await edge.app.get(ScimTokenStore).find(new PresentedToken(scim_token));
    await edge.app.get(ScimTokenUses).flush();
    expect((await call('GET', `/${id}`)).body.last_request_at).not.toBeNull();
    expect((await call('GET', `/${id}/tokens`)).body.data[0].last_used_at).not.toBeNull();
  });
});

describe('lists for admins', () => {
  it('counts, groups and pending members', async () => {
    const { id } = await create();
    await group(id, `grp_${id}1`);
    await group(id, `grp_${id}2`);
    for (const member of ['m1', 'm2', 'm3']) {
      await edge.db.query(
        `insert into pending_members (tenant_id, group_id, member_id, display) values ($1, $2, $3, 'Name')`,
        [edge.tenant.id, `grp_${id}1`, member],
      );
    }
    await edge.db.query(
      `insert into group_members (tenant_id, group_id, member_id, kind) values ($1, $2, 'm9', 'User')`,
      [edge.tenant.id, `grp_${id}1`],
    );
    expect((await call('GET', `/${id}`)).body).toMatchObject({ users: 0, groups: 2, pending_members: 3 });
    expect((await call('GET', `/${id}/groups`)).body.data).toMatchObject([
      { id: `grp_${id}2`, members: 0, pending_members: 0 },
      { id: `grp_${id}1`, display_name: `grp_${id}1`, members: 1, pending_members: 3 },
    ]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer['body'] = (
        await call('GET', `/${id}/pending-members?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      ).body;
      seen.push(...page.data.map(({ member_id }: { member_id: string }) => member_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(['m1', 'm2', 'm3']);
  });
});

describe('a deleted directory', () => {
  it('loses its tokens, and releases its users in the same transaction', async () => {
    const { id, scim_token } = await create();
    edge.asked.calls.length = 0;
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect(edge.asked.calls).toEqual([`release ${id}`]);
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect(await edge.app.get(ScimTokenStore).find(new PresentedToken(scim_token))).toBeNull();
    await expect(edge.app.get(DirectoryStore).get(edge.tenant.id, id)).rejects.toThrow('No such directory');
    expect(await lastAudit()).toMatchObject({ action: 'directory.deleted', target_id: id, after: null });
    expect((await call('GET', '?limit=200')).text).not.toContain(id);
  });

  it('stays when a port refuses', async () => {
    const { id } = await create();
    const release = edge.asked.release.bind(edge.asked);
    edge.asked.release = () => Promise.reject(new Error('not now'));
    try {
      expect((await call('DELETE', `/${id}`)).status).toBe(500);
    } finally {
      edge.asked.release = release;
    }
    expect((await call('GET', `/${id}`)).status).toBe(200);
  });
});
