import { sharedApp, type TestApp } from '../support/app.js';
import { Description } from '../support/description.js';
import { newHouse, type House } from '../support/house.js';
import { send } from '../support/http.js';
import { fresh, madeGroup, madeUser, mail, replace, user } from '../support/scim.js';

let service: TestApp;
let house: House;
/** An id for each part of a path that has one. */
let ids: Record<string, string>;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  ids = await furnished(house);
});
afterAll(() => service.close());

const LISTS: Readonly<Record<string, string>> = {
  task_id: '/tasks',
  change_id: '/changes',
  event_id: '/events',
  request_id: '/requests',
};
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^",\s<|]*/g;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A tenant that has a row in most of its lists, with the times that its callers set given with an offset. */
async function furnished({ api, scim, directoryId, tenantId }: House): Promise<Record<string, string>> {
  const soon = new Date(Date.now() + 86_400_000).toISOString().replace('Z', '+00:00');
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await api.post(path, body);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.body.id as string;
  };
  const userId = await madeUser(scim, user(mail()));
  const leaver = await madeUser(scim, user(mail()));
  const groupId = await madeGroup(scim, [userId]);
  await scim.patch(`/Users/${leaver}`, replace('active', false));
  await scim.delete(`/Users/${await madeUser(scim, user(mail()))}`);
  await api.put(`/directories/${directoryId}/rules`, { rules: [{ group_id: groupId, role: 'Observer' }] });
  await api.patch('/tenant', { owner_user_id: userId });
  const keyId = await made('/api-keys', { name: 'ends soon', scopes: ['users:read'], expires_at: soon });
  const clientId = await made(`/directories/${directoryId}/clients`, { name: 'IdP', kind: 'secret' });
  const webhookId = await made('/webhooks', { url: 'http://127.0.0.1:4290/in', events: ['user.created'] });
  const roleName = fresh('Role');
  await api.post('/roles', { name: roleName, takes_seat: true });
  const known: Record<string, string> = {
    user_id: userId,
    directory_id: directoryId,
    tenant_id: tenantId,
    group_id: groupId,
    key_id: keyId,
    client_id: clientId,
    endpoint_id: webhookId,
    role_name: roleName,
  };
  for (const [name, list] of Object.entries(LISTS)) {
    const { body } = await api.get(list);
    const id = (body?.data?.[0]?.id ?? body?.data?.[0]?.request_id) as string | undefined;
    if (id !== undefined) known[name] = id;
  }
  return known;
}

it('writes all times of its answers in UTC with a Z', async () => {
  const api = await Description.of(service.url);
  const found: string[] = [];
  const walked = new Map<string, number>();
  for (const { method, path } of api.operations) {
    const isRead = method === 'GET' && /^\/(api\/v1|scim\/v2)\//.test(path);
    const missing = [...path.matchAll(/\{(\w+)\}/g)].filter(([, name]) => ids[name!] === undefined && name !== 'id');
    if (!isRead || missing.length > 0) continue;
    const id = path.includes('/Groups/') ? ids['group_id']! : ids['user_id']!;
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? id));
    for (const form of ['application/json', 'text/csv']) {
      const token = path.startsWith('/scim') ? house.scimToken : path.includes('/tenants') ? service.operatorToken : house.apiKey; // prettier-ignore
      const answer = await send('GET', service.url + address, token, undefined, { accept: `${form}, */*;q=0.1` });
      if (answer.status !== 200) continue;
      const times = answer.text.match(TIME) ?? [];
      walked.set(path, Math.max(walked.get(path) ?? 0, times.length));
      found.push(...times.filter((time) => !UTC.test(time)).map((time) => `${path}: ${time}`));
    }
  }
  expect([...new Set(found)]).toEqual([]);
  expect([...walked.values()].filter((count) => count > 0).length).toBeGreaterThan(30);
});
