import path from 'node:path';

const { orderFaults } = (await import(path.resolve('scripts/check-orders.mjs'))) as {
  orderFaults: (statement: string) => string[];
};

// PostgreSQL reads a bare name in ORDER BY as the output column. Rows ordered by a cast are in the order of the cast.
describe('the check of orders', () => {
  it.each([
    [
      'a column as text',
      'select entry_id::text as entry_id from lines where sequence is null order by entry_id limit 9',
    ],
    ['a cast in its other form', 'select cast(entry_id as text) as entry_id from lines order by entry_id desc'],
    ['a time as text', `select to_char(at, 'YYYY') as at, id from lines order by at desc, id`],
    ['a cast of another name', 'select sequence::text as place from lines order by place'],
    ['a column hidden by a computed one', 'select coalesce(sequence, 0) as sequence from lines order by sequence'],
    ['a cast in a subquery', 'select l.* from (select id::text as id from lines) l order by l.id'],
    ['a cast in a subquery, without its name', 'select * from (select id::text as id from lines) l order by id'],
    ['a cast in a named query', 'with l as (select id::text as id from lines) select l.id from l order by l.id'],
    [
      'a cast behind a join',
      'select a.x from lines a join (select id::text as id from b) b on b.id = a.id order by b.id',
    ],
    ['a cast in a window', 'select row_number() over (order by l.id) from (select id::text as id from lines) l'],
    ['a cast in an aggregate', 'select array_agg(l.x order by l.id) from (select x, id::text as id from lines) l'],
    ['a place in the list', 'select day::text as day, count(*) from lines group by 1 order by 1'],
    ['the second branch of a union', 'select id from a union all select id::text as id from b order by id'],
    ['a branch of a union in parentheses', '(select id::text as id from a) union all (select id from b) order by id'],
    ['a list of columns that is not seen', 'select ¤ from ¤ where sequence is null order by entry_id limit ¤'],
    ['an output that is not seen', 'select ¤ as at, id from lines order by at'],
    ['a subquery in a condition', 'select 1 from a where id in (select id::text as id from b order by id limit 1)'],
  ])('finds an order by %s', (_, statement) => {
    expect(orderFaults(statement)).toHaveLength(1);
  });

  it.each([
    ['the column with its table', 'select entry_id::text as entry_id from lines order by lines.entry_id'],
    ['the column with an unseen table', 'select ¤ from ¤ order by ¤.entry_id limit ¤'],
    ['a column that no output hides', 'select id::text as name from lines order by id'],
    ['a place that was counted', 'select id, row_number() over () as place from lines order by place'],
    ['a cast that is written in the order', 'select id from lines order by id::text'],
    ['a window, which reads columns', 'select id::text as id, lag(x) over (order by id) from lines'],
    ['an aggregate, which reads columns', 'select array_agg(x order by id)::text as id from lines'],
    ['another collation', 'select v collate "C" as v from lines order by v'],
    ['a comment', 'select id::text as id from lines -- order by id\n where id > 3'],
  ])('admits %s', (_, statement) => {
    expect(orderFaults(statement)).toEqual([]);
  });
});
