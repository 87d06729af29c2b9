// Modules of its own (test/runner): what is counted has the state of the process.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { MAX_PREPARED, MAX_OWN, MAX_SHAPES, statementCounts } from '../../../src/base/database/bounded-client.js';
import { startApp, type TestApp } from '../../support/app.js';
import { client, type Client } from '../../support/http.js';
import { bulk, ENTERPRISE, fresh, group, patch, scim, user } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

const POOL = 6;
const REQUESTS = 1500;
/** What the source may come to before a review is due: far from where texts are not prepared any more. */
const OWN_TEXTS = 200;

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ DATABASE_POOL: String(POOL) });
});
afterAll(() => service.close());

/** Mulberry32: the same traffic in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Requests of every kind whose statements a caller could shape. */
class Traffic {
  private readonly users: string[] = [];
  private readonly groups: string[] = [];
  private readonly random: () => number;

  constructor(
    private readonly directory: Client,
    private readonly api: Client,
    seed: number,
  ) {
    this.random = random(seed);
  }

  async run(requests: number): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < requests; i += 8) {
      const sent = Array.from({ length: 8 }, () => this.request());
      for (const { status } of await Promise.all(sent)) statuses.push(status);
    }
    return statuses;
  }

  private below(n: number): number {
    return Math.floor(this.random() * n);
  }
  private one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  private some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.random() < 0.5);
  }

  private request(): Promise<{ status: number }> {
    const kind = this.below(10);
    if (this.users.length < 5 || kind === 0) return this.create();
    if (kind <= 3) return this.directory.patch(`/Users/${this.one(this.users)}`, patch(...this.edits()));
    if (kind === 4) return this.directory.get(`/Users?${this.query()}`);
    if (kind === 5)
      return this.api.get(
        `/users?${this.options(['email=a@b.example', 'status=active', 'role=User', 'updated_since=2026-01-01T00:00:00Z', `limit=${1 + this.below(200)}`])}`,
      );
    if (kind === 6)
      return this.api.get(
        `/v1/sign-ins?${this.options(['user_id=u', 'connection_id=c', 'kind=test', 'outcome=success', 'reason=state_unknown', 'since=2026-01-01T00:00:00Z', 'until=2027-01-01T00:00:00Z', `limit=${1 + this.below(200)}`])}`,
      );
    if (kind === 7)
      return this.api.get(
        `/v1/${this.one(['audit', 'changes', 'leavers', 'held', 'seats/events'])}?limit=${1 + this.below(200)}`,
      );
    if (kind === 8) return this.onGroups();
    return this.one([
      () =>
        this.api.patch(
          `/users/${this.one(this.users)}`,
          Object.fromEntries(
            this.some([
              ['first_name', fresh()],
              ['last_name', fresh()],
              ['status', this.one(['active', 'inactive'])],
              ['role', 'User'],
            ]),
          ),
        ),
      () =>
        this.directory.post(
          '/Bulk',
          bulk([
            { method: 'POST', path: '/Users', bulkId: 'b', data: user(`${fresh()}@x.example`) },
            { method: 'PATCH', path: `/Users/${this.one(this.users)}`, data: patch(...this.edits()) },
          ]),
        ),
      () =>
        this.api.get(
          `/v1/users/${this.one(this.users)}/history?kind=${this.some(['change', 'seat', 'audit', 'sign_in', 'delivery']).concat('session').join(',')}&order=${this.one(['asc', 'desc'])}`,
        ),
      () => this.directory.delete(`/Users/${this.users.pop()!}`),
    ])();
  }

  private async create(): Promise<{ status: number }> {
    const made = await this.directory.post(
      '/Users',
      user(`${fresh()}@x.example`, { emails: this.emails(), externalId: fresh() }),
    );
    if (made.status === 201) this.users.push(made.body.id as string);
    return made;
  }

  private emails(): object[] {
    return Array.from({ length: this.below(3) }, (_, i) => ({ value: `${fresh()}@x.example`, type: `t${i}` }));
  }

  /** Any of all the attributes with columns of their own, and some without. */
  private edits(): object[] {
    const edits = this.some([
      ['userName', `${fresh()}@x.example`],
      ['externalId', fresh()],
      ['active', this.random() < 0.5],
      ['emails', this.emails()],
      ['name.givenName', fresh()],
      ['name.familyName', fresh()],
      ['displayName', fresh()],
      ['title', fresh()],
      ['roles', [{ value: this.one(['User', 'Nothing']) }]],
      [`${ENTERPRISE}:costCenter`, fresh()],
    ]).map(([path, value]) => ({ op: 'replace', path, value }));
    return edits.length > 0 ? edits : [{ op: 'replace', path: 'title', value: fresh() }];
  }

  private query(): string {
    const terms = this.some([
      'userName',
      'externalId',
      'title',
      'displayName',
      'emails.value',
      'name.familyName',
      'meta.created',
      'groups.display',
    ]);
    const filter = terms
      .map(
        (name) =>
          `${name} ${this.one(['eq', 'ne', 'co', 'sw', 'gt'])} "${name === 'meta.created' ? '2026-01-01T00:00:00Z' : fresh()}"`,
      )
      .join(this.one([' and ', ' or ']));
    const parts = [`startIndex=${1 + this.below(50)}`, `count=${this.below(50)}`];
    if (filter !== '') parts.push(`filter=${encodeURIComponent(filter)}`);
    if (this.random() < 0.5) parts.push(`sortBy=${this.one(['userName', 'title', 'name.familyName'])}`);
    return this.options(parts);
  }

  private options(list: string[]): string {
    return this.some(list).join('&');
  }

  private async onGroups(): Promise<{ status: number }> {
    if (this.groups.length < 3) {
      const made = await this.directory.post('/Groups', group(fresh('Group ')));
      if (made.status === 201) this.groups.push(made.body.id as string);
      return made;
    }
    const path = `/Groups/${this.one(this.groups)}`;
    const members = this.some(this.users.slice(0, 5)).map((value) => ({ value }));
    return this.one([
      () => this.directory.get(path),
      () =>
        this.directory.get(
          `/Groups?${this.options([`count=${this.below(20)}`, 'excludedAttributes=members', 'filter=displayName%20sw%20%22G%22'])}`,
        ),
      () => this.directory.patch(path, patch({ op: this.one(['add', 'replace']), path: 'members', value: members })),
      () => this.directory.patch(path, patch({ op: 'remove', path: `members[display eq "${fresh()}"]` })),
      () => this.directory.put(path, group(fresh('Group '), { members })),
    ])();
  }
}

/** Statements that each connection of the pool has prepared. */
async function preparedOn(app: TestApp): Promise<number[]> {
  const { master } = app.db.dataSource.driver as unknown as { master: pg.Pool };
  const clients = await Promise.all(Array.from({ length: POOL }, () => master.connect()));
  try {
    const counts = await Promise.all(
      clients.map((one) => one.query<{ n: number }>('select count(*)::int as n from pg_prepared_statements')),
    );
    return counts.map(({ rows }) => rows[0]!.n);
  } finally {
    for (const one of clients) one.release();
  }
}

it(
  'prepares a bounded number of statements in an hour of random traffic, and nearly none in the next',
  async () => {
    const { scimToken, apiKey } = await service.newTenant();
    const traffic = (seed: number) =>
      new Traffic(scim(service.url, scimToken), client(`${service.url}/api`, apiKey), seed).run(REQUESTS);

    const first = await traffic(1);
    const after = statementCounts();
    const second = await traffic(2);
    const end = statementCounts();

    // Traffic that is refused would show nothing.
    const all = [...first, ...second];
    expect(all.filter((status) => status >= 500)).toEqual([]);
    expect(all.filter((status) => status < 300).length).toBeGreaterThan(0.7 * all.length);

    expect(after.own).toBeLessThan(OWN_TEXTS);
    expect(OWN_TEXTS).toBeLessThan(MAX_OWN / 2);
    expect(end.own - after.own).toBeLessThanOrEqual(20);
    expect(end.shaped).toBeLessThanOrEqual(MAX_SHAPES);
    for (const n of await preparedOn(service)) expect(n).toBeLessThanOrEqual(MAX_PREPARED.own + MAX_PREPARED.shaped);
  },
  patience(240_000),
);
