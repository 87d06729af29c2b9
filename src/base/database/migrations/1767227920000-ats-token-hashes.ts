import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Hashes of the tokens of ATSs are looked up in a table of their own, before the tenant is known. The pace of calls has no
 * foreign key any more: tables that are not logged are not replicated with the tenant's rows.
 */
export class AtsTokenHashes1767227920000 implements MigrationInterface {
  name = 'AtsTokenHashes1767227920000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_token_hashes (
        provider text collate "C" not null,
        hash bytea not null,
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        token_id text collate "C" not null,
        primary key (provider, hash)
      )`);
    await db.query(`
      create unique index ats_token_hashes_token on ats_token_hashes (tenant_id, connection_id, token_id)`);
    await db.query(`
      create trigger ats_token_hashes_told after insert or update or delete on ats_token_hashes
      for each row execute function tell_settings()`);
    await db.query(`
      insert into ats_token_hashes (provider, hash, tenant_id, connection_id, token_id)
      select provider, hash, tenant_id, connection_id, id from ats_tokens`);
    await db.query(`drop trigger ats_tokens_told on ats_tokens`);
    await db.query(`
      alter table ats_tokens
        drop constraint ats_tokens_pkey, drop column provider, drop column hash,
        add constraint ats_tokens_pkey primary key using index ats_tokens_connection`);
    await db.query(`alter table ats_paces drop constraint ats_paces_tenant_id_connection_id_fkey`);
  }

  async down(): Promise<void> {
    throw new Error('tokens do not get their hashes back: restore a backup');
  }
}
