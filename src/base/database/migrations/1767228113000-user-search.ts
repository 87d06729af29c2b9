import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

const folded = (text: string): string => `(tenant_id, (left(lower((${text}) collate scim_text), 256) collate "C"), id)`;
const written = (part: string): string => `${folded(`doc #>> '{name,${part}}'`)} where held is not null`;

const INDEXES = {
  users_search_name: folded(`first_name || ' ' || last_name`),
  users_search_last_name: folded('last_name'),
  users_search_external_id: folded('person_external_id'),
  users_search_written_id: `${folded('external_id')} where external_id is distinct from person_external_id`,
  users_search_given_name: written('givenName'),
  users_search_family_name: written('familyName'),
  users_search_formatted: written('formatted'),
};

/** A search by the beginning of a name or an external id reads an index in place of all users of the tenant. */
export class UserSearch1767228113000 implements MigrationInterface {
  name = 'UserSearch1767228113000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) await buildIndex(db, name, `on users ${definition}`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await removeIndex(db, name);
  }
}
