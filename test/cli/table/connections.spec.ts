import { ConnectionFields } from '../../../src/auth/connections/dto.js';
import type { CommandOption } from '../../../src/cli/command/command.js';
import { COMMANDS } from '../../../src/cli/program.js';

/** The fields that the API takes, as the documentation of its DTO names them. */
const FIELDS = (Reflect.getMetadata('swagger/apiModelPropertiesArray', ConnectionFields.prototype) as string[]).map(
  (name) => name.slice(1),
);
const optionsOfVerb = (verb: string): readonly CommandOption[] =>
  COMMANDS.find((one) => one.noun === 'connection' && one.verb === verb)!.options!;
const MADE = [...optionsOfVerb('create-oidc'), ...optionsOfVerb('create-saml')];
const CHANGED = optionsOfVerb('set');

it('every setting of a connection has its option, and every option its setting', () => {
  const known = new Set(MADE.map(({ name, of = name }) => of));
  expect(FIELDS.length).toBeGreaterThan(30);
  expect([...known].sort()).toEqual([...new Set([...FIELDS, 'name'])].sort());
  expect(new Set(CHANGED.map(({ name }) => name)).size).toBe(CHANGED.length);
});

it('an option has the same name in the command that makes and the command that changes', () => {
  const made = new Set(MADE.map(({ name }) => name));
  for (const only of ['slug', 'disabled']) expect(made.delete(only)).toBe(true);
  expect(new Set(CHANGED.map(({ name }) => name))).toEqual(made);
  expect(CHANGED.filter(({ flag, required }) => flag === true || required === true)).toEqual([]);
});
