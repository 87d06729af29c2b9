import { InvalidFields, MalformedRequest } from '../../../../src/base/errors/domain-error.js';
import { readSubject } from '../../../../src/auth/sign-in/revocation/subject.rules.js';

it.each([
  [{ format: 'email', email: 'ada@example.com' }],
  [{ format: 'iss_sub', iss: 'https://idp.example.com', sub: 'ada' }],
  [{ format: 'opaque', id: '00u1' }],
])('reads %j, and ignores unknown members', (subject) => {
  expect(readSubject({ sub_id: { ...subject, more: 1 }, more: 1 })).toEqual(subject);
});

it.each<[unknown, string]>([
  [undefined, 'sub_id'],
  [{}, 'sub_id'],
  [{ sub_id: 'ada' }, 'sub_id'],
  [{ sub_id: [] }, 'sub_id'],
  [{ sub_id: { format: 'phone_number', phone_number: '+1' } }, 'sub_id.format'],
  [{ sub_id: { email: 'ada@example.com' } }, 'sub_id.format'],
  [{ sub_id: { format: 'email' } }, 'sub_id.email'],
  [{ sub_id: { format: 'email', email: '' } }, 'sub_id.email'],
  [{ sub_id: { format: 'email', email: 7 } }, 'sub_id.email'],
  [{ sub_id: { format: 'email', email: 'a\0b' } }, 'sub_id.email'],
  [{ sub_id: { format: 'iss_sub', sub: 'ada' } }, 'sub_id.iss'],
  [{ sub_id: { format: 'iss_sub', iss: 'https://idp.example.com' } }, 'sub_id.sub'],
  [{ sub_id: { format: 'opaque', id: 'x'.repeat(1_025) } }, 'sub_id.id'],
])('refuses %j and names the member', (body, field) => {
  let found: unknown;
  try {
    readSubject(body);
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(InvalidFields);
  expect((found as InvalidFields).extras.errors![0]!.field).toBe(field);
});

it('refuses a value that is no object', () => {
  for (const body of [[], 'x', 1, null]) expect(() => readSubject(body)).toThrow(MalformedRequest);
});
