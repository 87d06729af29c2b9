import { encode, type Json } from '../client/client.js';
import { columns, type Command } from '../command/command.js';

/** Finds records by name or id. */
export const SEARCH_COMMAND: Command = {
  noun: 'search',
  verb: '',
  description: 'Finds users, directories and groups by the beginning of a name, and records by their id',
  argument: { name: 'text', required: true, description: 'the beginning of a name, or an id' },
  async run({ client, argument }) {
    const { data } = await client.call<{ data: Json[] }>('GET', `/search?q=${encode(argument!)}`);
    return columns(data, 'kind', 'id', 'title', 'detail', 'parent_id');
  },
};
