import { CliError } from '../../../src/cli/client/cli.errors.js';
import type { Context } from '../../../src/cli/command/command.js';
import { changesOf } from '../../../src/cli/commands/directory-changes.js';

const changes = (options: Record<string, string>) => changesOf({ options } as unknown as Context);

it('reads networks and attributes of the customer’s own, and clears them with none', () => {
  const read = changes({ allow_from: '192.0.2.0/24, ::1', custom_attributes: 'badge:string,floors:integer[]' });
  expect(read).toEqual({
    allow_from: ['192.0.2.0/24', '::1'],
    custom_attributes: [
      { name: 'badge', type: 'string', multi_valued: false },
      { name: 'floors', type: 'integer', multi_valued: true },
    ],
  });
  expect(changes({ allow_from: 'none', custom_attributes: 'none' })).toEqual({ allow_from: [], custom_attributes: [] });
});

it('asks for the type of an attribute that has none', () => {
  expect(() => changes({ custom_attributes: 'badge' })).toThrow(CliError);
});

it('clears a role with none, and reads switches and the attribute map', () => {
  expect(
    changes({ default_role: 'none', may_grant_console: 'on', map_email: 'none', map_external_id: 'userName' }),
  ).toEqual({
    default_role: null,
    may_grant_console: true,
    attribute_map: { external_id: 'userName', email: null },
  });
});
