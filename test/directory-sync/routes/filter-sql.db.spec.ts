import fc from '../../support/properties.js';
import { readFileSync } from 'node:fs';
import { GROUP_COLUMN_MAP } from '../../../src/directory-sync/users/groups/group.row.js';
import { USER_COLUMN_MAP } from '../../../src/directory-sync/routes/users/user.columns.js';
import type { AttributePath, CompareOp, Filter, Literal } from '../../../src/protocols/scim/filter/ast.js';
import { matches } from '../../../src/protocols/scim/filter/matches.js';
import { parseFilter } from '../../../src/protocols/scim/filter/parse.js';
import { printFilter } from '../../../src/protocols/scim/filter/print.js';
import { resolveFilter } from '../../../src/protocols/scim/filter/resolve.js';
import { toSql } from '../../../src/protocols/scim/filter/to-sql.js';
import type { Attribute } from '../../../src/protocols/scim/schema/attribute.js';
import {
  GROUP_TYPE,
  USER_TYPE,
  type Resource,
  type ResourceTypeDef,
} from '../../../src/protocols/scim/schema/resource-types.js';
import { ENTERPRISE_URN } from '../../../src/protocols/scim/urns.js';
import { draftOf } from '../../../src/directory-sync/users/user.mapping.js';
import { casesOf } from '../../protocols/scim/cases.js';
import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { long } from '../../support/rounds.js';
import { group, madeGroup, madeUser, patch, scim, user } from '../../support/scim.js';
import { patience } from '../../support/speed.js';

const OPTIONS = { booleansAsStrings: true };
// What strings are compared wrongly by: case, width, composition, wildcards, quotes, length, order beyond the BMP.
const TEXTS = [
  'a', 'A', 'b', 'ab', 'AB ', ' a', 'ä', 'Ä', 'a\u0308', 'ß', 'SS', 'İ', 'i', 'I', 'ı', 'Σας', 'σας', 'σασ', 'ﬀ', 'ff', 'Ａ', '％',
  '100%', '%', '_', '\\', '\\_', '"', "'", "' or 1=1 --", '🦊', '\uffee', 'é', 'e\u0301', 'x\ny', '1', '10', '9', 'true', 'null',
]; // prettier-ignore
const TYPES = ['work', 'Work', 'home', 'other', 'ä', 'Ä'];

let service: TestApp;
let tenant: TestTenant;
/** Everybody, and every group, as SCIM shows them. */
let users: Resource[];
let groups: Resource[];

beforeAll(async () => {
  service = await startApp();
  tenant = service.tenant;
  const by = scim(service.url, tenant.scimToken);
  const some = fc.sample(people, { numRuns: 80, seed: 7 });
  const ids: string[] = [];
  for (const [i, body] of some.entries()) ids.push(await madeUser(by, user(`${body.userName}${i}`, body.rest)));
  const inner = await madeGroup(by, [], { displayName: 'inner', externalId: 'a' });
  for (let i = 0; i < 12; i++) {
    const members = ids
      .filter((_, at) => (at * 7 + i) % 5 === 0)
      .map((value, at) => ({ value, display: TEXTS[(at + i) % TEXTS.length] }));
    const id = (
      await by.post(
        '/Groups',
        group(`${TEXTS[i]}g${i}`, { externalId: TEXTS[i * 2], members: i % 4 === 3 ? [] : members }),
      )
    ).body.id;
    if (i % 3 === 0) await by.patch(`/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value: inner }] }));
  }
  users = (await by.get('/Users?count=1000')).body.Resources;
  groups = (await by.get('/Groups?count=1000')).body.Resources;
});
afterAll(() => service.close());

const text = fc.constantFrom(...TEXTS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const values = fc.array(
  fc.record({
    value: maybe(text),
    type: maybe(fc.constantFrom(...TYPES)),
    display: maybe(text),
    primary: maybe(fc.constant(false)),
  }),
  { maxLength: 3 },
);
const people = fc.record({
  userName: text,
  rest: fc.record({
    externalId: maybe(text),
    title: maybe(text),
    nickName: maybe(text),
    active: maybe(fc.boolean()),
    name: maybe(fc.record({ givenName: maybe(text), familyName: maybe(text) })),
    emails: maybe(values),
    phoneNumbers: maybe(values),
    roles: maybe(fc.array(fc.record({ value: text }), { maxLength: 2 })),
    [ENTERPRISE_URN]: maybe(fc.record({ costCenter: maybe(text), manager: maybe(fc.record({ value: text })) })),
  }),
});

/** Filters that bind: every attribute of a type with every operator it takes, and values that are there. */
function filtersOf(type: ResourceTypeDef, found: () => string[]): fc.Arbitrary<Filter> {
  // Where a resource lies is stored without the address of the server, so only its end can be asked for.
  const readable = (each: Attribute) => each.returned !== 'never' && each.name !== 'location' && each.name !== '$ref';
  const own = [...new Set([...type.schema.byName.values(), ...type.extensionByName.values()])].filter(readable);
  const leaves = own.map((each) => {
    const path: AttributePath = { urn: each.extension, attr: each.name, sub: null };
    if (each.type !== 'complex') return leaf(path, each, found);
    const subs = each.subAttributes.filter(readable);
    const one = subs.map((sub) => leaf({ ...path, sub: sub.name }, sub, found));
    const inner = subs.map((sub) => leaf({ urn: null, attr: sub.name, sub: null }, sub, found));
    const pair = fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(fc.oneof(...inner), { minLength: 2, maxLength: 2 }),
      )
      .map(([kind, terms]): Filter => ({ kind, terms }));
    const negated = fc.oneof(...inner).map((term): Filter => ({ kind: 'not', term }));
    const within = fc.oneof(...inner, pair, negated).map((filter): Filter => ({ kind: 'valuePath', path, filter }));
    return fc.oneof(fc.constant<Filter>({ kind: 'present', path }), ...one, within);
  });
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.oneof(...leaves),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), term: tie('filter') }),
    ),
  })).filter;
}

function leaf(path: AttributePath, attribute: Attribute, found: () => string[]): fc.Arbitrary<Filter> {
  const present = fc.constant<Filter>({ kind: 'present', path });
  const compare = (ops: readonly CompareOp[], literals: fc.Arbitrary<Literal>) =>
    fc.oneof(
      {
        arbitrary: fc.record({
          kind: fc.constant('compare' as const),
          path: fc.constant(path),
          op: fc.constantFrom(...ops),
          value: literals,
        }),
        weight: 4,
      },
      {
        arbitrary: fc
          .constantFrom<CompareOp>('eq', 'ne')
          .map((op): Filter => ({ kind: 'compare', path, op, value: null })),
        weight: 1,
      },
      { arbitrary: present, weight: 1 },
    );
  switch (attribute.type) {
    case 'boolean':
      return compare(['eq', 'ne'], fc.boolean());
    case 'dateTime':
      return compare(
        ['eq', 'ne', 'gt', 'ge', 'lt', 'le'],
        fc.nat().map((n) => times()[n % times().length]!),
      );
    case 'binary':
      return compare(['eq', 'ne'], fc.constantFrom('MIIB', 'a'));
    default:
      return compare(
        ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'],
        fc.oneof(
          text,
          fc.constantFrom(...TYPES, '', 'a1', 'W/"1"', 'User', 'Group', 'direct'),
          fc.nat().map((n) => found()[n % found().length]!),
        ),
      );
  }
}

const times = () =>
  [...users, ...groups].flatMap(({ meta }) =>
    Object.values(meta as Record<string, string>).filter((each) => /^\d{4}-/.test(each)),
  );
const idsIn = () => [...users, ...groups].map(({ id }) => id as string);

async function foundBySql(type: ResourceTypeDef, filter: Filter, at = tenant): Promise<unknown[]> {
  const params: unknown[] = [at.tenantId, [at.directoryId, '']];
  const isUser = type === USER_TYPE;
  const sql = toSql(resolveFilter(filter, type, OPTIONS), isUser ? USER_COLUMN_MAP : GROUP_COLUMN_MAP, params);
  const { rows } = await service.db.execute<{ id: string; met: boolean }>(
    `select x.id, (${sql}) as met from ${isUser ? 'users u' : 'groups g'} cross join lateral (select ${isUser ? 'u' : 'g'}.id, $2::text[]) x
     where ${isUser ? 'u' : 'g'}.tenant_id = $1 order by 1`,
    params,
  );
  // Never unknown: `not` would not turn it around.
  expect(rows.filter(({ met }) => met === null)).toEqual([]);
  return rows.filter(({ met }) => met).map(({ id }) => id);
}

function foundByRule(type: ResourceTypeDef, filter: Filter, among: Resource[]): unknown[] {
  const bound = resolveFilter(filter, type, OPTIONS);
  return among.filter((each) => matches(bound, each)).map(({ id }) => id);
}

describe('finds the same users in SQL and in TypeScript', () => {
  const runs = Number(process.env['FILTER_RUNS'] ?? 400);
  long.each([
    ['users', USER_TYPE, () => users],
    ['groups', GROUP_TYPE, () => groups],
  ] as const)(
    '%s, by any filter and by its negation',
    async (_, type, all) => {
      expect(all().length).toBeGreaterThan(10);
      let hits = 0;
      await fc.assert(
        fc.asyncProperty(filtersOf(type, idsIn), async (filter) => {
          const expected = foundByRule(type, filter, all());
          hits += Number(expected.length > 0 && expected.length < all().length);
          expect([printFilter(filter), await foundBySql(type, filter)]).toEqual([printFilter(filter), expected.sort()]);
          const negated: Filter = { kind: 'not', term: filter };
          expect([printFilter(negated), await foundBySql(type, negated)]).toEqual([
            printFilter(negated),
            foundByRule(type, negated, all()).sort(),
          ]);
        }),
        { numRuns: runs },
      );
      // Filters that find all users or none would prove little; by chance a quarter of them finds some, give or take.
      expect(hits).toBeGreaterThan(runs / 10);
    },
    patience(120_000),
  );
});

describe('the filter cases of the rules', () => {
  const file = new URL('../../protocols/scim/filter/cases/users.json', import.meta.url);
  const named = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Resource>;
  const cases = casesOf<{ filter: string; hits: string[] }>(
    new URL('../../protocols/scim/filter/x', import.meta.url).href,
    './cases/matches.json',
  );
  let own: TestTenant;
  beforeAll(async () => {
    own = await service.newTenant();
    for (const resource of Object.values(named)) {
      const { id, meta, ...doc } = resource as Resource & {
        meta?: { created?: string; lastModified?: string; version?: string };
      };
      const draft = draftOf({ userName: id, ...doc });
      const version = Number(/\d+/.exec(meta?.version ?? '1')![0]);
      await service.db.query(
        `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active, first_name, last_name,
           status, seat, version, created_at, updated_at)
         values ($1, $2, $3, 'scim', $4::jsonb, $5, $6, $7, $8, '', '', 'inactive', 'none', $9, coalesce($10::timestamptz, now()), coalesce($11::timestamptz, now()))`,
        [
          own.tenantId,
          id,
          own.directoryId,
          JSON.stringify(draft.doc),
          draft.userName,
          draft.userNameKey,
          draft.externalId,
          draft.active,
          version,
          meta?.created ?? null,
          meta?.lastModified ?? null,
        ],
      );
      for (const [i, email] of draft.emails.entries()) {
        await service.db.query(
          `insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key) values ($1, $2, $3, $4, $5)`,
          [own.tenantId, id, i + 1, email.value, email.type],
        );
      }
    }
  });

  it.each(cases)('$note: $filter', async ({ filter, hits }) => {
    const expected = hits.map((name) => named[name]!['id']).sort();
    expect(await foundBySql(USER_TYPE, parseFilter(filter), own)).toEqual(expected);
    const others = Object.entries(named)
      .filter(([name]) => !hits.includes(name))
      .map(([, { id }]) => id);
    expect(await foundBySql(USER_TYPE, parseFilter(`not (${filter})`), own)).toEqual(others.sort());
  });
});
