import type { MigrationInterface, QueryRunner } from 'typeorm';

/** User changes, the lane of each user towards the platform, the platform connections, and every attempt. */
export class CreateDelivery1767225900000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create sequence change_sequence`);
    await db.query(`
      create table changes (
        tenant_id text collate "C" not null,
        sequence bigint not null default nextval('change_sequence'),
        user_id text collate "C" not null,
        kind text not null check (kind in ('created', 'updated', 'deactivated', 'reactivated', 'deleted')),
        forwarded boolean not null,
        changed text[] not null,
        person jsonb not null,
        source jsonb not null,
        received_at timestamptz not null,
        occurred_at timestamptz not null default clock_timestamp(),
        sessions_ended_at timestamptz,
        dismissed jsonb,
        primary key (tenant_id, sequence)
      )`);
    await db.query(`create index changes_user on changes (tenant_id, user_id, sequence)`);
    // One lane per user: what the platform should come to know (target), and what it is known to have (confirmed).
    // While `calling`, something is being said and must be repeated word for word until its outcome is known: it is made
    // of the columns themselves, and copied into `call` by whoever is about to change one of them.
    // `rank` orders the claims: leavers 0, live changes 1, what is sent again in the background 2. `round` tells a
    // request to send again from the call that was already out. `epoch` says to which address the bindings belong.
    await db.query(`
      create table lanes (
        tenant_id text collate "C" not null,
        user_id text collate "C" not null,
        target_state text not null check (target_state in ('active', 'inactive', 'deleted')),
        target_person text not null,
        rank smallint not null,
        first_pending bigint,
        last_pending bigint not null,
        pending_since timestamptz,
        round int not null default 0,
        epoch int not null default 0,
        calling boolean not null default false,
        calls int not null default 0,
        call_by uuid,
        call_as text,
        call jsonb,
        lookup jsonb,
        platform_id text collate "C",
        adopted text,
        confirmed_state text,
        confirmed_person text,
        confirmed_through bigint not null default 0,
        confirmed_at timestamptz,
        attempts int not null default 0,
        tries int not null default 0,
        failed_at timestamptz,
        next_at timestamptz not null default '-infinity',
        lease_until timestamptz,
        lease_token uuid,
        parked text,
        parked_detail text,
        parked_at timestamptz,
        primary key (tenant_id, user_id)
      ) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05)`);
    await db.query(`
      create index lanes_due on lanes (tenant_id, rank, first_pending)
      where first_pending is not null and parked is null`);
    await db.query(`create index lanes_parked on lanes (tenant_id, parked_at, user_id) where parked is not null`);
    await db.query(`create index lanes_platform_id on lanes (tenant_id, platform_id) where platform_id is not null`);
    // A call is copied where something newer came while it was out: seldom, and not for long.
    await db.query(`create index lanes_outdated on lanes (tenant_id) where call is not null`);
    // `version` moves with every change of settings or state by hand: a worker that knows an older one claims nothing.
    await db.query(`
      create table destinations (
        tenant_id text collate "C" primary key references tenants (id),
        base_url text not null,
        key_sealed text,
        key_hint text,
        settings jsonb not null default '{}',
        version int not null default 1,
        epoch int not null default 1,
        state text not null default 'ok' check (state in ('ok', 'open', 'paused')),
        state_reason text,
        state_detail text,
        state_since timestamptz not null default now(),
        probes int not null default 0,
        next_probe_at timestamptz,
        refusals jsonb not null default '[]',
        last_success_at timestamptz,
        updated_at timestamptz not null default now()
      )`);
    await db.query(`
      create table attempts (
        tenant_id text collate "C" not null,
        at timestamptz not null default now(),
        n smallint not null,
        user_id text collate "C" not null,
        delivery_id text not null,
        first_sequence bigint not null,
        last_sequence bigint not null,
        method text not null,
        path text not null,
        status int,
        outcome text not null,
        detail text,
        answer text,
        duration_ms int not null,
        sent_at timestamptz not null,
        primary key (tenant_id, user_id, last_sequence, at, n)
      ) partition by range (at)`);
    await db.query(`create table attempts_default partition of attempts default`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table attempts, destinations, lanes, changes`);
    await db.query(`drop sequence change_sequence`);
  }
}
