import { Description, type Operation } from '../support/description.js';
import { sharedApp, type TestApp } from '../support/app.js';
import { candidate } from '../support/candidates.js';
import { newHouse, type House } from '../support/house.js';
import { send, type Answer } from '../support/http.js';
import { SamlWay } from '../support/sign-in/connections.js';
import { madeGroup, madeUser, user } from '../support/scim.js';

/** Each record of the victim carries it. */
const MARK = 'victimark';
/** The fields of queries and bodies that name a record of the tenant. */
const NAMES_A_RECORD = /(^|_)(id|ids)$|^(job|connection|directory|takes_over|record|role)$/;

/** The records of a tenant: a path part with the parameter, or the name of a field, and the id. */
type Ids = Readonly<Record<string, string>>;

let service: TestApp;
let attacker: House;
let victim: House;
let theirs: Ids;
let unknowns: Ids;
let operations: Operation[];
beforeAll(async () => {
  service = await sharedApp();
  ({ operations } = await Description.of(service.url));
  [attacker, victim] = [await newHouse(service), await newHouse(service)];
  theirs = await recordsOf(victim);
  unknowns = Object.fromEntries(Object.entries(theirs).map(([name, id]) => [name, unknownId(id)]));
});
afterAll(() => service.close());

/** Makes one record of each kind, all with the mark. */
async function recordsOf({ api, scim, directoryId }: House): Promise<Ids> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await api.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body.id as string;
  };
  await api.post('/roles', { name: MARK, takes_seat: true });
  const scimUser = await madeUser(scim, user(`${MARK}@example.com`, { externalId: MARK }));
  const scimGroup = await madeGroup(scim, [], { displayName: MARK });
  const userId = await made('/users', { email: `api-${MARK}@example.com`, first_name: MARK, last_name: MARK });
  const candidateId = await made('/candidates', candidate({ first_name: MARK, external_id: MARK }));
  const times = { starts_at: '2026-03-05T13:00:00Z', ends_at: '2026-03-05T14:00:00Z' };
  const job = await api.put(`/jobs/by-external-id/${MARK}`, { title: MARK });
  const client = await api.post(`/directories/${directoryId}/clients`, { name: MARK, kind: 'secret' });
  const clientId = client.body.id as string;
  await api.post('/domains', { domain: `${MARK}.example.com` });
  return {
    'Users id': scimUser,
    'Groups id': scimGroup,
    'users user_id': userId,
    'users id': userId,
    'held user_id': userId,
    'roles name': MARK,
    'domains domain': `${MARK}.example.com`,
    'candidates id': candidateId,
    'candidates candidate_id': candidateId,
    'interviews id': await made(`/candidates/${candidateId}/interviews`, times),
    'jobs id': job.body.id,
    'directories directory_id': directoryId,
    'directories token_id': await made(`/directories/${directoryId}/tokens`, { name: MARK }),
    'clients client_id': clientId,
    'secrets secret_id': client.body.secrets[0].id,
    'api-keys key_id': await made('/api-keys', { name: MARK, scopes: ['users:read'] }),
    'webhooks webhook_id': await made('/webhooks', { url: 'http://127.0.0.1:9999/x', description: MARK }),
    'connections connection_id': (await SamlWay.open(service, victim, { name: MARK, slug: MARK })).id,
    'ats-connections connection_id': await made('/ats-connections', { provider: 'greenhouse' }),
    'changes id': (await api.get('/changes')).body.data[0].id,
    'events event_id': (await api.get('/events?limit=1')).body.data[0].id,
  };
}

/** Returns an id of the same form that no tenant has. */
function unknownId(id: string): string {
  if (/^chg_|^evt_/.test(id)) return id.replace(/\d/g, '9');
  return id.includes('_') ? `${id.slice(0, -8)}00000000` : id.replace(MARK, 'nobodymark');
}

/** Returns the id for a parameter of a path, by the part of the path before it. */
function placed(path: string, ids: Ids): string {
  const parts = path.split('/');
  return parts
    .map((part, i) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part;
      // An external id is the caller's own word: it names a record of the caller's tenant.
      return encodeURIComponent(ids[`${parts[i - 1]} ${name}`] ?? 'x');
    })
    .join('/');
}

/** Returns the id of a record for a field, by its name; null when the field names no record. */
function named(field: string, ids: Ids): string | null {
  if (!NAMES_A_RECORD.test(field)) return null;
  const word = field.replace(/_ids?$/, '');
  const kind = { takes_over: 'directories', owner_user: 'users', target: 'candidates', role: 'roles', record: 'candidates' }[word]; // prettier-ignore
  return Object.entries(ids).find(([name]) => name.startsWith(kind ?? word))?.[1] ?? null;
}

const isOfTenants = ({ path, security }: Operation): boolean =>
  (security?.length ?? 0) > 0 && /^\/(api\/v1|scim\/v2)\//.test(path);
const ask = (operation: Operation, path: string, body?: unknown): Promise<Answer> => {
  const isScim = path.startsWith('/scim');
  const given = body ?? (/P(OS|U|ATC)/.test(operation.method) ? exampleOf(operation) : undefined);
  const type = { 'content-type': isScim ? 'application/scim+json' : 'application/json' };
  const token = isScim ? attacker.scimToken : attacker.apiKey;
  return send(operation.method, service.url + path, token, given, given === undefined ? {} : type);
};

/** Returns the example of a body in the description. */
function exampleOf({ requestBody }: Operation): Record<string, unknown> {
  const [media] = Object.values(requestBody?.content ?? {}) as { example?: unknown; examples?: object }[];
  const [first] = Object.values(media?.examples ?? {}) as { value?: unknown }[];
  return { ...(media?.example ?? first?.value ?? {}) };
}

/** Returns what an answer shows besides the id that was asked for. */
function shown({ status, text }: Answer, ids: Ids): { status: number; text: string } {
  let bare = text.replace(/req_[0-9a-z]{26}/g, 'req').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'instant');
  for (const id of Object.values(ids).sort((a, b) => b.length - a.length)) bare = bare.replaceAll(id, 'ID');
  return { status, text: bare };
}

/** Sends a request with ids of the victim, and the same with ids of no tenant: the answers must be alike. */
async function demandAlike(name: string, by: (ids: Ids) => Promise<Answer>): Promise<void> {
  const foreign = await by(theirs);
  const unknown = await by(unknowns);
  expect([name, shown(foreign, theirs)]).toEqual([name, shown(unknown, unknowns)]);
}

it('answers for the ids of another tenant in a path as for none, at every operation of the API and of SCIM', async () => {
  let tried = 0;
  for (const operation of operations.filter(isOfTenants)) {
    if (!operation.path.includes('{') || placed(operation.path, theirs) === placed(operation.path, unknowns)) continue;
    await demandAlike(`${operation.method} ${operation.path}`, (ids) => ask(operation, placed(operation.path, ids)));
    tried++;
  }
  expect(tried).toBeGreaterThan(60);
});

it('answers for the ids of another tenant in a query as for none', async () => {
  let tried = 0;
  for (const operation of operations.filter(isOfTenants)) {
    if (operation.method !== 'GET' || operation.path.includes('{')) continue;
    for (const { name, in: place } of operation.parameters ?? []) {
      if (place !== 'query' || named(name, theirs) === null) continue;
      await demandAlike(`${operation.path}?${name}`, (ids) =>
        ask(operation, `${operation.path}?${name}=${encodeURIComponent(named(name, ids)!)}`),
      );
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(5);
});

it('answers for the ids of another tenant in a body as for none', async () => {
  const schemas = (await send('GET', `${service.url}/docs/openapi.json`, null)).body.components.schemas;
  let tried = 0;
  for (const operation of operations.filter(isOfTenants)) {
    if (operation.path.includes('{') || operation.path.startsWith('/scim')) continue;
    const [media] = Object.values(operation.requestBody?.content ?? {});
    const schema = schemas[String(media?.schema?.['$ref']).split('/').at(-1)!];
    for (const field of Object.keys(schema?.properties ?? {})) {
      // The names of roles and the caller's own words are no ids.
      if (field === 'external_id' || named(field, theirs) === null) continue;
      const body = (ids: Ids) => ({ ...exampleOf(operation), [field]: named(field, ids) });
      await demandAlike(`${operation.method} ${operation.path} ${field}`, (ids) =>
        ask(operation, operation.path, body(ids)),
      );
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(4);
});

it('shows no mark of another tenant in any list', async () => {
  let tried = 0;
  for (const operation of operations.filter(isOfTenants)) {
    if (operation.method !== 'GET' || operation.path.includes('{')) continue;
    const { status, text } = await ask(operation, operation.path);
    expect([operation.path, text.toLowerCase().includes(MARK)]).toEqual([operation.path, false]);
    if (status === 200) tried++;
  }
  expect(tried).toBeGreaterThan(20);
  expect((await victim.api.get('/users')).text.toLowerCase()).toContain(MARK);
});
