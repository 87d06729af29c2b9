import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Seat limits and the append-only, hash-chained ledger of who held a seat when, and why. */
export class CreateSeats1767225840000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table seat_limits (
        tenant_id text collate "C" primary key references tenants (id),
        seat_limit int check (seat_limit >= 0),
        directory_policy text not null default 'wait' check (directory_policy in ('wait', 'block', 'allow')),
        api_policy text not null default 'block' check (api_policy in ('wait', 'block', 'allow')),
        sign_in_policy text not null default 'wait' check (sign_in_policy in ('wait', 'block', 'allow')),
        approaching_at numeric not null default 0.9,
        mode text not null default 'unlimited' check (mode in ('unlimited', 'open', 'exact')),
        updated_at timestamptz not null default now()
      )`);
    await db.query(`create sequence seat_entry_sequence`);
    await db.query(`
      create table seat_entries (
        tenant_id text collate "C" not null,
        entry_id bigint not null default nextval('seat_entry_sequence'),
        kind text not null check (kind in ('claim', 'release', 'limit', 'policy', 'opening', 'repair')),
        user_id text collate "C",
        delta smallint not null check (delta between -1 and 1),
        role text,
        directory_id text collate "C",
        cost_center text,
        details jsonb,
        reason text not null,
        source jsonb not null,
        occurred_at timestamptz not null default clock_timestamp(),
        sequence bigint,
        count_after int,
        effective_at timestamptz,
        previous_hash bytea,
        hash bytea,
        primary key (tenant_id, entry_id)
      ) with (fillfactor = 70)`);
    await db.query(
      `create unique index seat_entries_sealed on seat_entries (tenant_id, sequence) where sequence is not null`,
    );
    await db.query(
      `create index seat_entries_unsealed on seat_entries (tenant_id, entry_id) include (delta) where sequence is null`,
    );
    await db.query(`create index seat_entries_time on seat_entries (tenant_id, effective_at, sequence)`);
    await db.query(`create index seat_entries_user on seat_entries (tenant_id, user_id, sequence)`);
    await db.query(`
      create trigger seat_entries_append_only before update or delete on seat_entries
      for each row execute function refuse_rewrite()`);
    // The end of each tenant's chains: what the next line is sealed onto.
    await db.query(`
      create table chain_heads (
        tenant_id text collate "C" not null references tenants (id),
        chain text not null check (chain in ('seats', 'audit')),
        sequence bigint not null default 0,
        count int not null default 0,
        hash bytea not null,
        effective_at timestamptz,
        sealed_through timestamptz,
        primary key (tenant_id, chain)
      )`);
    await db.query(`
      create table chain_days (
        tenant_id text collate "C" not null references tenants (id),
        chain text not null,
        day date not null,
        sequence bigint not null,
        count int not null,
        hash bytea not null,
        primary key (tenant_id, chain, day)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table chain_days, chain_heads, seat_entries, seat_limits`);
    await db.query(`drop sequence seat_entry_sequence`);
  }
}
