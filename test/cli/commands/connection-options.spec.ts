import { ConnectionFields } from '../../../src/auth/connections/connections.dto.js';
import { changeOptions, createOptions } from '../../../src/cli/commands/connection-options.js';
import { CHANGEABLE, SETTINGS } from '../../../src/cli/commands/connection-settings.js';

/** The fields that the API takes, as the documentation of its DTO names them. */
const FIELDS = (Reflect.getMetadata('swagger/apiModelPropertiesArray', ConnectionFields.prototype) as string[]).map(
  (name) => name.slice(1),
);
// `enable` and `disable` are verbs; a private key of one's own is for those who have a program to make it.
const ELSEWHERE = ['enabled', 'private_key'];

it('every setting of a connection has its option, and every option its setting', () => {
  const settings = [...SETTINGS.oidc, ...SETTINGS.saml];
  const known = new Set([...settings.map(({ name, of = name }) => of), ...ELSEWHERE]);
  expect(FIELDS.length).toBeGreaterThan(30);
  expect([...known].sort()).toEqual([...new Set([...FIELDS, 'name'])].sort());
  expect(new Set(CHANGEABLE.map(({ name }) => name)).size).toBe(CHANGEABLE.length);
});

it('an option has the same name in the command that makes and the command that changes', () => {
  const made = new Set([...createOptions('oidc'), ...createOptions('saml')].map(({ name }) => name));
  for (const only of ['slug', 'disabled']) expect(made.delete(only)).toBe(true);
  expect(new Set(changeOptions().map(({ name }) => name))).toEqual(made);
  expect(changeOptions().filter(({ flag, required }) => flag === true || required === true)).toEqual([]);
});
