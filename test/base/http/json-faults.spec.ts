import { faultIn, MAX_DEPTH } from '../../../src/base/http/json-faults.js';
import fc from '../../support/properties.js';

const fault = (text: string): string | null => faultIn(Buffer.from(text));

describe('faultIn', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['[{"x":{"b":1,"c":2,"b":3}}]', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":{"b":1},"c":[{}],"a":null}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"é":1,"é":2}', 'é'],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    [`{${Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(',')},"k7":0}`, 'k7'],
  ])('names a member that comes twice: %s', (text, name) => {
    expect(fault(text)).toBe(`The body names "${name}" twice in one object.`);
  });

  it.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a","b"],"b":["b"]}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":1,"A":2}',
    '"a","a"',
    '{"a":1',
    '{"a',
    '}}]]',
  ])('takes %s', (text) => {
    expect(fault(text)).toBeNull();
  });

  it('counts levels of objects and arrays', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(fault(nested(MAX_DEPTH))).toBeNull();
    expect(fault(nested(MAX_DEPTH + 1))).toContain('32 deep');
    expect(fault(`{"a":"${'['.repeat(100)}"}`)).toBeNull();
  });

  it('finds no fault in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(fault(JSON.stringify(value))).toBeNull();
      }),
    );
  });
});
