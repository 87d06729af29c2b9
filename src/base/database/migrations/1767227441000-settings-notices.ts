import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables whose rows processes cache, and when a change of them matters there. Marks of use are none. */
const TOLD: Readonly<Record<string, string>> = {
  tenants: 'update or delete',
  roles: 'insert or update or delete',
  directories:
    'insert or delete or update of name, profile, state, default_role, attribute_map, on_match, takes_over, ' +
    'replace_creates_missing, guard, deleted_at',
  group_rules: 'insert or update or delete',
  api_keys: 'delete or update of name, scopes, expires_at, revoked_at',
  scim_tokens: 'delete or update of name, directory_id, expires_at, revoked_at',
  connections:
    'insert or delete or update of slug, name, type, enabled, version, directory_id, settings, client_secret_sealed, ' +
    'private_key_sealed, tested_at, deleted_at',
  connection_slugs: 'insert or update or delete',
  domains: 'insert or delete or update of connection_id, verified_by, lost_at',
  verified_domains: 'insert or update or delete',
  service_keys: 'insert or update or delete',
  seat_limits: 'insert or update or delete',
};

/**
 * Tells every process of changed settings, with the commit, whoever changed them: caches hold until they are told. The
 * tables change by administrators' hands. Tables of users tell nothing, since commits that notify wait for each other.
 */
export class SettingsNotices1767227441000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function tell_settings() returns trigger language plpgsql as $$
      declare
        changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      begin
        perform pg_notify('talent_bridge_settings', concat_ws(' ', tg_table_name,
          coalesce(changed ->> 'tenant_id', changed ->> 'id'), changed ->> 'id'));
        return null;
      end $$`);
    for (const [table, events] of Object.entries(TOLD)) {
      await db.query(
        `create trigger ${table}_told after ${events} on ${table} for each row execute function tell_settings()`,
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of Object.keys(TOLD)) await db.query(`drop trigger ${table}_told on ${table}`);
    await db.query('drop function tell_settings()');
  }
}
