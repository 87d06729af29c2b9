import { WrittenBytes } from '../../../src/base/database/byte-cut.js';

const TENANT = 'ten_01k0000000abcdefghjkmnpqrs';
const OF_ROW = 256;

describe('written bytes', () => {
  const counted = (text: string, values: unknown[]) => {
    const written = new WrittenBytes();
    written.note(text, values);
    return [...written.take(0).values()];
  };

  it.each<[string, string, unknown[], number[]]>([
    ['the length of texts', 'insert into t values ($1, $2)', [TENANT, 'x'.repeat(100)], [OF_ROW + 30 + 100]],
    ['the length of buffers', 'insert into t values ($1, $2)', [TENANT, Buffer.alloc(50)], [OF_ROW + 30 + 50]],
    ['the elements of arrays', 'insert into t values ($1, $2)', [TENANT, ['ab', null]], [OF_ROW + 30 + 2 + 8]],
    ['updates', 'update t set a = $2 where id = $1', [TENANT, 1], [OF_ROW + 30 + 8]],
    ['no reads', 'select a from t where id = $1', [TENANT], []],
    ['no statements without a tenant', 'insert into t values ($1)', ['slug'], []],
    ['no statements without values', 'insert into t values (1)', [], []],
  ])('counts %s', (_, text, values, expected) => {
    expect(counted(text, values)).toEqual(expected);
  });

  it('keeps the bytes of a tenant that has written less than the least', () => {
    const written = new WrittenBytes();
    written.add('a', 10);
    written.add('b', 20);
    expect([...written.take(15)]).toEqual([['b', 20]]);
    written.add('a', 1);
    expect([...written.take(0)]).toEqual([['a', 11]]);
  });
});
