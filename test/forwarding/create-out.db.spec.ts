import { CALL_OUT, callOf, CREATE_OUT, type CallColumns } from '../../src/delivery/call.sql.js';
import type { Lookup, TargetState } from '../../src/delivery/call.js';
import { stepOf } from '../../src/forwarding/call.rules.js';
import { personText } from '../../src/forwarding/platform-user.mapping.js';
import { testDatabase, type TestDatabase } from '../support/database.js';

// Whether a create may be on its way is asked in SQL and decided in TypeScript: both have to mean the same.
const STATES: TargetState[] = ['active', 'inactive', 'deleted'];
const REASONS = ['conflict', 'gone', 'lost', 'no_id', 'dissolved', 'found'] satisfies Lookup['why'][];
// A reason that is added has to be added here.
const ALL: Record<Lookup['why'], true> = {
  conflict: true,
  gone: true,
  lost: true,
  no_id: true,
  dissolved: true,
  found: true,
};
const person = personText({ email: 'a@e.com', first_name: 'A', last_name: 'B', role: 'User', external_id: 'k' });

let database: TestDatabase;
beforeAll(async () => (database = await testDatabase(2)));
afterAll(() => database.close());

it('a create is out in SQL where the step of the call is one', async () => {
  expect(Object.keys(ALL)).toEqual(REASONS);
  const rows: CallColumns[] = [];
  for (const target_state of STATES)
    for (const platform_id of [null, 'hp_1'])
      for (const confirmed_state of [null, ...STATES])
        for (const lookup of [null, ...REASONS.map((why): Lookup => ({ why }))])
          rows.push({
            call: null,
            calls: 1,
            call_by: '11111111-1111-1111-1111-111111111111',
            call_as: 'delete',
            target_state,
            target_person: person,
            same_person: false,
            first_pending: '1',
            last_pending: '1',
            round: 0,
            epoch: 1,
            platform_id,
            confirmed_state,
            lookup,
          });
  // The lane as it is, and as it is once the call was copied and the target has moved on.
  const { rows: said } = await database.db.query<{ n: number; is: boolean; copied: boolean; idle: boolean }>(
    `with lane as (
       select n, true as calling, (j->>'calls')::int as calls, (j->>'call_by')::uuid as call_by, j->>'call_as' as call_as,
         j->>'target_state' as target_state, j->>'target_person' as target_person, 'other' as confirmed_person,
         1 as first_pending, 1 as last_pending, 0 as round, 1 as epoch, j->>'platform_id' as platform_id,
         j->>'confirmed_state' as confirmed_state, nullif(j->'lookup', 'null') as lookup, null::jsonb as call
       from jsonb_array_elements($1::jsonb) with ordinality as rows(j, n)
     ), copied as (
       select n, calling, 'deleted' as target_state, platform_id, lookup, ${CALL_OUT} as call from lane l
     )
     select l.n::int, ${CREATE_OUT} as is, (select ${CREATE_OUT} from copied l where l.n = c.n) as copied,
       (select ${CREATE_OUT} from (select false as calling, c.target_state, c.platform_id, c.lookup, c.call) l) as idle
     from lane l join copied c using (n) order by l.n`,
    [JSON.stringify(rows)],
  );
  const expected = rows.map((row, i) => {
    const is = stepOf(callOf(row)).kind === 'create';
    return { n: i + 1, is, copied: is, idle: false };
  });
  expect(said).toEqual(expected);
  expect(expected.filter(({ is }) => is)).toHaveLength(4 * 3);
});
