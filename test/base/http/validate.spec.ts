import { InvalidFields } from '../../../src/base/errors/domain-error.js';
import {
  Choice,
  Choices,
  Flag,
  Moment,
  Nested,
  NestedList,
  Ruled,
  Whole,
  EMAIL,
  Text,
} from '../../../src/base/http/fields.js';
import { AsSent, readBody, ServerSet } from '../../../src/base/http/validate.js';

class Inner {
  @Text({ max: 5 })
  code!: string;
}

@ServerSet('id', 'created_at')
class Sample {
  @Text({ max: 10 })
  first_name!: string;
  @Text({ max: 10, min: 0, optional: true })
  last_name?: string;
  @Text({ max: 320, optional: true, nullable: true, pattern: EMAIL })
  email?: string | null;
  @Flag({ optional: true })
  takes_seat?: boolean;
  @Whole({ min: 1, max: 5, optional: true })
  figure?: number;
  @Choice(['a', 'b'], { optional: true })
  letter?: string;
  @Choices(['a', 'b'], { optional: true })
  letters?: string[];
  @Moment({ optional: true, nullable: true })
  expires_at?: Date | null;
  @Nested(() => Inner, { optional: true })
  inner?: Inner;
  @NestedList(() => Inner, { optional: true, max: 2 })
  inners?: Inner[];
}

const wrong = (body: unknown): string[] => {
  try {
    readBody(Sample, body);
    return [];
  } catch (error) {
    if (error instanceof InvalidFields) return error.extras.errors!.map(({ field }) => field);
    return [(error as { code: string }).code];
  }
};

describe('accepted input', () => {
  it.each<[string, object]>([
    ['the least', { first_name: 'A' }],
    ['an empty last name', { first_name: 'A', last_name: '' }],
    ['null where it may be', { first_name: 'A', email: null, expires_at: null }],
    [
      'everything',
      {
        first_name: 'A',
        email: 'a@b.c',
        takes_seat: false,
        figure: 5,
        letter: 'a',
        letters: ['b', 'a'],
        inner: { code: 'x' },
        inners: [],
      },
    ],
    ['what was read, sent back', { first_name: 'A', id: 'x', created_at: 1 }],
  ])('%s', (_, body) => {
    expect(wrong(body)).toEqual([]);
  });

  it('tidies text, reads times, and leaves absent fields absent', () => {
    const read = readBody(Sample, { first_name: '  A\u030a ', expires_at: '2026-01-31T12:00:00+02:00', id: 'x' });
    expect(read.first_name).toBe('Å');
    expect(read.expires_at).toEqual(new Date('2026-01-31T10:00:00Z'));
    expect(Object.keys(read).sort()).toEqual(['expires_at', 'first_name']);
    expect(read).toBeInstanceOf(Sample);
  });
});

describe('refused fields, by their name in the request', () => {
  it.each<[string, unknown, string[]]>([
    ['no body', undefined, ['first_name']],
    ['a list', [], ['malformed_request']],
    ['null', null, ['malformed_request']],
    ['a text', 'x', ['malformed_request']],
    ['a missing field', {}, ['first_name']],
    ['blanks only', { first_name: '   ' }, ['first_name']],
    ['too long', { first_name: 'x'.repeat(11) }, ['first_name']],
    ['a number for a text', { first_name: 1 }, ['first_name']],
    ['null where it may not be', { first_name: null }, ['first_name']],
    ['a control character', { first_name: 'a\u0000b' }, ['first_name']],
    ['half a character', { first_name: 'a\ud800' }, ['first_name']],
    ['an unknown field', { first_name: 'A', nickname: 'B' }, ['nickname']],
    ['the camelled spelling', { first_name: 'A', lastName: 'B' }, ['lastName']],
    ['no e-mail', { first_name: 'A', email: 'unknown' }, ['email']],
    ['a text for a flag', { first_name: 'A', takes_seat: 'false' }, ['takes_seat']],
    ['a broken number', { first_name: 'A', figure: 1.5 }, ['figure']],
    ['another word', { first_name: 'A', letter: 'c' }, ['letter']],
    ['a word twice', { first_name: 'A', letters: ['a', 'a'] }, ['letters']],
    ['no words', { first_name: 'A', letters: [] }, ['letters']],
    ['no time', { first_name: 'A', expires_at: 'tomorrow' }, ['expires_at']],
    ['a day that is none', { first_name: 'A', expires_at: '2026-02-31T25:00:00Z' }, ['expires_at']],
    ['a wrong field inside', { first_name: 'A', inner: { code: 1 } }, ['inner.code']],
    ['an unknown field inside', { first_name: 'A', inner: { code: 'x', y: 1 } }, ['inner.y']],
    ['a list for an object', { first_name: 'A', inner: [] }, ['inner']],
    ['too many', { first_name: 'A', inners: [{ code: 'x' }, { code: 'x' }, { code: 'x' }] }, ['inners']],
    ['a wrong one in a list', { first_name: 'A', inners: [{ code: 'x' }, {}] }, ['inners.1.code']],
    ['a prototype', JSON.parse('{"first_name":"A","__proto__":{"admin":true}}'), ['__proto__']],
    ['a constructor', JSON.parse('{"first_name":"A","constructor":{"prototype":{}}}'), ['constructor']],
  ])('%s', (_, body, fields) => {
    expect(wrong(body)).toEqual(fields);
  });

  it('are reported together', () => {
    expect(wrong({ last_name: 1, figure: 9, x: 1 }).sort()).toEqual(['figure', 'first_name', 'last_name', 'x']);
  });

  it('change no other object', () => {
    wrong(JSON.parse('{"__proto__":{"polluted":1},"inner":{"__proto__":{"polluted":1}}}'));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

it('a field that a nested object calls its constructor is refused, at any depth, by the outer name', () => {
  for (const nested of [
    { constructor: 'x' },
    { constructor: null },
    [{ constructor: {} }],
    { a: { b: [{ constructor: 1 }] } },
  ]) {
    expect(wrong({ first_name: 'x', inner: nested })).toEqual(['inner']);
    expect(wrong({ first_name: nested })).toEqual(['first_name']);
    expect(wrong({ first_name: 'x', unknown: nested })).toEqual(['unknown']);
  }
  expect(wrong({ first_name: 'x', inner: { code: 'ok' } })).toEqual([]);
});

describe('fields that are kept unchanged', () => {
  @AsSent('data')
  class Open {
    @Text({ max: 10, optional: true })
    name?: string;
    @Ruled(
      (value) => (typeof value === 'object' ? null : 'must be an object'),
      { type: 'object', additionalProperties: true },
      { optional: true },
    )
    data?: object;
  }

  it('are the same value, with members that no class could have', () => {
    const data: unknown = JSON.parse('{"constructor":1,"nested":{"constructor":{"name":"x"},"__proto__":2}}');
    expect(readBody(Open, { name: 'n', data }).data).toBe(data);
    expect(readBody(Open, {}).data).toBeUndefined();
  });

  it('are checked by their rule', () => {
    expect(() => readBody(Open, { data: 'text' })).toThrow(InvalidFields);
  });
});
