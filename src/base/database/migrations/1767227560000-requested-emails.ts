import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** The e-mail that the document of a user names: as `draftOf` of the users room, for the rows of older versions. */
const REQUESTED = `lower(btrim(case coalesce(d.attribute_map ->> 'email', '')
    when 'userName' then u.user_name
    when 'externalId' then u.external_id
    else coalesce(
      (select e.value ->> 'value' from jsonb_array_elements(u.doc -> 'emails') with ordinality e (value, n)
       where e.value ->> 'value' ~ '^\\s*[^\\s]+@[^\\s@]+\\s*$'
       order by e.value -> 'primary' = 'true' desc nulls last, lower(e.value ->> 'type') = 'work' desc nulls last, e.n
       limit 1), u.user_name)
  end))`;

/**
 * The e-mail that a held user is to have and does not have yet. Sign-in asks for it: an e-mail that two users have or
 * request identifies none of them.
 */
export class RequestedEmails1767227560000 implements MigrationInterface {
  /** The index is built while the table is written. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column if not exists requested_email_key text collate "C"`);
    await db.query(
      `update users u set requested_email_key = x.key from (
         select u.tenant_id, u.id, ${REQUESTED} as key
         from users u left join directories d on d.tenant_id = u.tenant_id and d.id = u.directory_id
         where u.held is not null and u.active and u.gone_at is null) x
       where u.tenant_id = x.tenant_id and u.id = x.id and x.key like '_%@_%' and x.key is distinct from u.email_key`,
    );
    await buildIndex(
      db,
      'users_requested_email',
      'on users (tenant_id, requested_email_key) where requested_email_key is not null',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_requested_email');
    await db.query(`alter table users drop column if exists requested_email_key`);
  }
}
