import type { MigrationInterface, QueryRunner } from 'typeorm';

const IGNORABLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff';
const BLANKS = '[\\t-\\r \\u1680\\u2028\\u2029]';

/**
 * Keys of user names lose characters that show as nothing, and have single blanks between words alone (RFC 8265 §3.3). Of
 * two users whose names become one, both keep their keys: each is found by its id and by what else it has.
 */
export class UserNameKeys1767226910000 implements MigrationInterface {
  name = 'UserNameKeys1767226910000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      with changed as (
        select tenant_id, id, btrim(regexp_replace(normalize(regexp_replace(user_name_key, '[${IGNORABLE}]+', '', 'g'), nfc),
          '${BLANKS}+', ' ', 'g')) as key
        from users where left(user_name_key, 1) <> chr(1)
          and user_name_key ~ '[${IGNORABLE}]|^${BLANKS}|${BLANKS}$|${BLANKS}${BLANKS}|[\\t-\\r\\u1680\\u2028\\u2029]'
      ), single as (
        select tenant_id, key, min(id) as id from changed where key <> '' group by tenant_id, key having count(*) = 1)
      update users u set user_name_key = s.key from single s
      where u.tenant_id = s.tenant_id and u.id = s.id
        and not exists (select 1 from users o where o.tenant_id = s.tenant_id and o.user_name_key = s.key)`);
  }

  async down(): Promise<void> {
    // The keys stay: the names themselves were not changed.
  }
}
