import { customAttributes, customNameProblem } from '../../../../src/protocols/scim/schema/user.schema.js';

it('takes names by RFC 7643 §2.1, and no name that every object has', () => {
  for (const name of ['a', 'badgeNumber', 'x-1_2', 'a'.repeat(64)])
    expect([name, customNameProblem(name)]).toEqual([name, null]);
  for (const name of [
    '',
    '1a',
    'a b',
    'a.b',
    'a:b',
    '$ref',
    'a"',
    'é',
    'a'.repeat(65),
    'constructor',
    'toString',
    'prototype',
  ]) {
    expect([name, customNameProblem(name)]).toEqual([name, expect.any(String)]);
  }
});

it('makes attributes of the engine', () => {
  const [one] = customAttributes([{ name: 'sites', type: 'string', multi_valued: true, description: 'Where.' }]);
  expect(one).toMatchObject({
    name: 'sites',
    type: 'string',
    multiValued: true,
    description: 'Where.',
    required: false,
  });
});
