import {
  createBody,
  idIn,
  personText,
  readPlatformUser,
  updateBody,
} from '../../src/forwarding/platform-user.mapping.js';
import { personOf } from '../support/persons.js';

describe('readPlatformUser', () => {
  it.each([null, 1, 'x', [], {}, { id: '' }, { id: {} }, { id: 'x'.repeat(300) }])('refuses %j', (value) =>
    expect(readPlatformUser(value)).toBeNull(),
  );
  it('reads text fields, and no others', () => {
    expect(readPlatformUser({ id: 7, email: 'a@b', role: 5 })).toEqual({
      id: '7',
      email: 'a@b',
      first_name: null,
      last_name: null,
      role: null,
      external_id: null,
      status: null,
    });
  });
  it.each([
    [{ id: 'a' }, 'a'],
    [{ data: { id: 'b' } }, 'b'],
    [{ user: { id: 3 } }, '3'],
    [{}, null],
    [null, null],
    ['x', null],
  ])('finds the id in %j', (body, id) => expect(idIn(body)).toBe(id));
});

describe('the bodies of a user', () => {
  const person = personOf('usr_1');
  it('have the fields in one order, for each order of the user', () => {
    const { email, ...rest } = person;
    expect(personText({ ...rest, email })).toBe(personText(person));
    expect(createBody(personText(person))).toBe(personText(person));
  });
  it('leave out missing fields in a create', () => {
    expect(JSON.parse(createBody(personText({ ...person, role: null })))).not.toHaveProperty('role');
  });
  it('have the status in an update only when the user is reactivated', () => {
    expect(updateBody(personText(person), false)).toBe(personText(person));
    expect(JSON.parse(updateBody(personText(person), true))).toEqual({ ...person, status: 'active' });
  });
});
