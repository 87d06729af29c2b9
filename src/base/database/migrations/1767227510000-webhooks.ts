import type { MigrationInterface, QueryRunner } from 'typeorm';

const TOLD: Readonly<Record<string, string>> = {
  webhook_endpoints:
    'insert or delete or update of url, description, events, form, ordered, headers_sealed, updated_at',
  webhook_secrets: 'insert or update or delete',
};

/**
 * Webhook endpoints, their signing secrets, and the messages that were given up. The state of an endpoint is that of its
 * destination. A message is given up after its tries; the row keeps no data of it.
 */
export class Webhooks1767227510000 implements MigrationInterface {
  name = 'Webhooks1767227510000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table webhook_endpoints (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        url text not null,
        description text,
        events text[],
        form text not null,
        ordered boolean not null,
        headers_sealed text,
        created_by jsonb not null,
        key_id text collate "C",
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, id)
      )`);
    await db.query(`
      create table webhook_secrets (
        tenant_id text collate "C" not null,
        endpoint_id text collate "C" not null,
        id text collate "C" not null,
        sealed text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        primary key (tenant_id, endpoint_id, id),
        foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade
      )`);
    await db.query(`
      create table webhook_given_up (
        tenant_id text collate "C" not null,
        endpoint_id text collate "C" not null,
        sequence bigint not null,
        at timestamptz not null,
        record text collate "C",
        event text not null,
        given_up_at timestamptz not null default now(),
        reason text not null,
        primary key (tenant_id, endpoint_id, sequence)
      )`);
    await db.query(`
      create index webhook_given_up_record on webhook_given_up (tenant_id, endpoint_id, record, sequence)
      where record is not null`);
    for (const [table, events] of Object.entries(TOLD)) {
      await db.query(
        `create trigger ${table}_told after ${events} on ${table} for each row execute function tell_settings()`,
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table webhook_given_up, webhook_secrets, webhook_endpoints`);
  }
}
