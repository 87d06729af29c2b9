import { sharedApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { ENTERPRISE, fresh, madeUser, patch, user } from '../support/scim.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

interface Line {
  kind: string;
  delta: number;
  role: string | null;
  directory_id: string | null;
  cost_center: string | null;
  reason: string;
  actor_kind: string;
  channel: string;
}

/** The lines of a user, oldest first. */
async function linesOf(at: House, id: string, query = ''): Promise<Line[]> {
  const { body } = await at.api.get(`/seats/events?user=${id}${query}`);
  return (body.data as Line[]).reverse();
}
const employee = (costCenter: string) => user(`${fresh()}@x.example`, { [ENTERPRISE]: { costCenter } });

describe('a ledger line of 0 for a new fact of a holder', () => {
  it('is written for role, cost centre and directory, each with its reason, and not for a title', async () => {
    const at = await newHouse(service, { may_grant_console: true });
    const id = await madeUser(at.scim, employee('CC1'));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'title', value: 'T' }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:costCenter`, value: 'CC2' }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: 'roles', value: [{ value: 'Admin' }] }));
    expect((await at.api.delete(`/directories/${at.directoryId}?force=true`)).status).toBe(204);
    const facts = (await linesOf(at, id)).map((line) => [
      line.kind,
      line.delta,
      line.role,
      line.cost_center,
      line.directory_id,
      line.reason,
    ]);
    expect(facts).toEqual([
      ['claim', 1, 'User', 'CC1', at.directoryId, 'created'],
      ['update', 0, 'User', 'CC2', at.directoryId, 'cost_center'],
      ['update', 0, 'Admin', 'CC2', at.directoryId, 'role'],
      ['update', 0, 'Admin', 'CC2', null, 'directory'],
    ]);
    expect((await at.api.post('/seats/verify', {})).body).toMatchObject({ ok: true, count: 1, holders: 1 });
  });

  it('is written for the users API and for a link with a directory', async () => {
    // The directory may give the right of the role that the user has.
    const at = await newHouse(service, { may_grant_console: true });
    const email = `${fresh()}@x.example`;
    const { id } = (await at.api.post('/users', { email, first_name: 'A', last_name: 'B' })).body as { id: string };
    await at.api.patch(`/users/${id}`, { role: 'Admin' });
    await at.scim.post('/Users', user(email, { [ENTERPRISE]: { costCenter: 'CC' }, roles: [{ value: 'Admin' }] }));
    const lines = await linesOf(at, id);
    expect(
      lines.map((line) => [line.kind, line.role, line.directory_id, line.cost_center, line.actor_kind, line.channel]),
    ).toEqual([
      ['claim', 'User', null, null, 'key', 'api'],
      ['update', 'Admin', null, null, 'key', 'api'],
      ['update', 'Admin', at.directoryId, 'CC', 'directory', 'scim'],
    ]);
  });

  it('is not written for a preview until it goes live', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, employee('CC1'));
    await at.api.patch(`/directories/${at.directoryId}`, { state: 'preview' });
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:costCenter`, value: 'CC2' }));
    expect(await linesOf(at, id)).toHaveLength(1);
    await at.api.patch(`/directories/${at.directoryId}`, { state: 'live' });
    for (;;) {
      const lines = await linesOf(at, id);
      if (lines.length < 2) continue;
      expect(lines[1]).toMatchObject({ kind: 'update', delta: 0, cost_center: 'CC2' });
      break;
    }
  });

  it('is not written for a user without a seat', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, user(`${fresh()}@x.example`, { roles: [{ value: 'Observer' }] }));
    await at.scim.patch(`/Users/${id}`, patch({ op: 'add', path: `${ENTERPRISE}:costCenter`, value: 'CC2' }));
    expect(await linesOf(at, id)).toEqual([]);
  });
});

describe('reports', () => {
  it('list holders with facts of the moment and names of today', async () => {
    const at = await newHouse(service);
    const name = `${fresh()}@x.example`;
    const id = await madeUser(
      at.scim,
      user(name, {
        externalId: 'E1',
        name: { givenName: 'Ann', familyName: 'Other' },
        [ENTERPRISE]: { costCenter: 'CC1' },
      }),
    );
    const [claim] = (await at.api.get(`/seats/events?user=${id}`)).body.data as { effective_at: string }[];
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:costCenter`, value: 'CC2' }));
    const holder = {
      user_id: id,
      name: 'Ann Other',
      email: name,
      external_id: 'E1',
      since: claim!.effective_at,
      role: 'User',
      directory_id: at.directoryId,
      directory: 'Directory',
      reason: 'created',
    };
    const now = (await at.api.get('/seats/holders')).body;
    expect(now).toMatchObject({ known: true, data: [{ ...holder, cost_center: 'CC2' }] });
    const then = (await at.api.get(`/seats/holders?as_of=${encodeURIComponent(claim!.effective_at)}`)).body;
    expect(then.data).toEqual([{ ...holder, cost_center: 'CC1' }]);
    const before = (await at.api.get('/seats/holders?as_of=2020-01-01')).body;
    expect(before).toMatchObject({ known: false, data: [] });
    const csv = (await at.api.get('/seats/holders?format=csv')).text.split('\r\n');
    expect(csv[0]).toBe('user_id,name,email,external_id,since,role,directory_id,directory,cost_center,reason');
    expect(csv[1]).toBe(
      [id, 'Ann Other', name, 'E1', claim!.effective_at, 'User', at.directoryId, 'Directory', 'CC2', 'created'].join(),
    );
  });

  it('filter events by time, kind, directory and user, also in exports', async () => {
    const at = await newHouse(service);
    const id = await madeUser(at.scim, employee('CC1'));
    await at.api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' });
    await at.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
    const kinds = async (query: string) =>
      ((await at.api.get(`/seats/events?${query}`)).body.data as Line[]).map(({ kind }) => kind);
    expect(await kinds('')).toEqual(['release', 'claim', 'claim']);
    expect(await kinds('kind=release')).toEqual(['release']);
    expect(await kinds(`directory=${at.directoryId}`)).toEqual(['release', 'claim']);
    expect(await kinds('directory=none')).toEqual(['claim']);
    expect(await kinds(`user=${id}&kind=claim`)).toEqual(['claim']);
    expect(await kinds('since=9999-01-01')).toEqual([]);
    expect(await kinds('until=2020-01-01')).toEqual([]);
    expect(await kinds('since=2020-01-01&until=9999-01-01')).toHaveLength(3);
    const csv = (await at.api.get(`/seats/events?format=csv&user=${id}`)).text.trim().split('\r\n');
    expect(csv).toHaveLength(3);
    expect(csv[0]).toContain('actor_kind,actor_id,actor,channel');
    expect((await at.api.get('/seats/events?kind=x')).status).toBe(422);
    expect((await at.api.get('/seats/events?since=yesterday')).status).toBe(422);
  });

  it('show usage as unknown before the ledger, and the time since when facts are kept', async () => {
    const at = await newHouse(service);
    await madeUser(at.scim);
    const { body } = await at.api.get('/seats/usage?from=2020-01-01&to=2020-01-02');
    expect(body.data).toEqual([
      {
        day: '2020-01-01',
        peak: null,
        average: null,
        end: null,
        distinct_holders: null,
        limit: null,
        final: expect.any(Boolean) as boolean,
      },
    ]);
    expect(body.holder_facts).toEqual({ version: '0.1.0', since: expect.stringMatching(/^\d{4}-.*Z$/) as string });
  });
});
