import type { MigrationInterface, QueryRunner } from 'typeorm';

const APPEND_ONLY = ['seat_entries', 'audit_entries', 'closed_days', 'chain_keys'];

/**
 * Signed heads of both chains, closed days, and the functions by which a role without `update` on the ledgers seals
 * them. The functions belong to the owner and run with the owner's rights (`security definer`), with the search path
 * pinned to this schema.
 */
export class ProtectLedgers1767226300000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    const [{ schema }] = (await db.query(`select quote_ident(current_schema()) as schema`)) as [{ schema: string }];
    // The signed end of the chain. `unsigned_through`: how far the chain came before heads were signed.
    await db.query(`
      alter table chain_heads add column signed_sequence bigint, add column signed_hash bytea,
        add column signature bytea, add column key_id text, add column unsigned_through bigint not null default 0`);
    for (const [chain, table] of [
      ['seats', 'seat_entries'],
      ['audit', 'audit_entries'],
    ] as const) {
      // A head is mandatory from now on. Where one was never made, it is what the chain says.
      await db.query(`
        insert into chain_heads (tenant_id, chain, sequence, hash)
        select t.id, '${chain}', coalesce(e.sequence, 0), coalesce(e.hash, decode(repeat('00', 32), 'hex'))
        from tenants t left join lateral (
          select sequence, hash from ${table} e where e.tenant_id = t.id and e.sequence is not null
          order by sequence desc limit 1) e on true
        on conflict do nothing`);
    }
    await db.query(`update chain_heads set unsigned_through = sequence where sequence > 0`);
    await db.query(`
      create table closed_days (
        tenant_id text collate "C" not null references tenants (id),
        chain text not null check (chain in ('seats', 'audit')),
        day date not null,
        sequence bigint not null,
        count int not null,
        hash bytea not null,
        previous bytea not null,
        key_id text collate "C" not null,
        signature bytea not null,
        closed_at timestamptz not null default now(),
        primary key (tenant_id, chain, day)
      )`);
    await db.query(`
      create table chain_keys (
        key_id text collate "C" not null,
        endorsed_by text collate "C" not null,
        public_key bytea not null,
        endorsement bytea not null,
        created_at timestamptz not null default now(),
        primary key (key_id, endorsed_by)
      )`);
    await this.refuse(db);
    await this.functions(db, schema);
  }

  private async refuse(db: QueryRunner): Promise<void> {
    await db.query(`
      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op)
          using errcode = 'insufficient_privilege';
      end $$`);
    for (const table of [...APPEND_ONLY, 'chain_heads']) {
      await db.query(`
        create trigger ${table}_never_truncated before truncate on ${table}
        for each statement execute function refuse_change()`);
    }
    for (const table of ['closed_days', 'chain_keys']) {
      await db.query(`
        create trigger ${table}_append_only before update or delete on ${table}
        for each row execute function refuse_change()`);
    }
    await db.query(`
      create trigger chain_heads_never_deleted before delete on chain_heads
      for each row execute function refuse_change()`);
    // A process of the version before seals by an update of its own and does not sign. While a chain has no signature
    // yet, such an update says how far the chain came without one; the first process that signs takes it from there.
    await db.query(`
      create function note_unsigned() returns trigger language plpgsql as $$
      begin
        if new.sequence > old.sequence and old.signature is null and new.signature is null
           and current_setting('talent_bridge.sealing', true) is distinct from 'on' then
          new.unsigned_through := new.sequence;
        end if;
        return new;
      end $$`);
    await db.query(`
      create trigger chain_heads_unsigned before update on chain_heads
      for each row execute function note_unsigned()`);
  }

  private async functions(db: QueryRunner, schema: string): Promise<void> {
    const asOwner = `language plpgsql security definer set search_path = ${schema}, pg_temp`;
    await db.query(`
      create function lock_chain_head(p_tenant text, p_chain text, p_wait boolean) returns setof chain_heads
      ${asOwner} as $$
      begin
        if p_wait then
          return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
        else
          return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update skip locked;
        end if;
      end $$`);
    // Sequence and previous hash follow from the head, so a caller can only add to the end. Only lines without a
    // sequence are sealed; a missing one refuses the whole batch.
    await db.query(`
      create function seal_chain(p_tenant text, p_chain text, p_ids bigint[], p_hashes bytea[], p_counts int[],
        p_effective timestamptz[], p_sealed_through timestamptz, p_signature bytea, p_key_id text) returns void
      ${asOwner} as $$
      declare
        head chain_heads%rowtype;
        wanted int := coalesce(cardinality(p_ids), 0);
        done int := 0;
      begin
        select * into head from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
        if not found then raise exception 'the chain % has no head', p_chain using errcode = 'no_data_found'; end if;
        if wanted > 0 and p_chain = 'seats' then
          update seat_entries e set sequence = head.sequence + s.place, count_after = s.count, effective_at = s.effective,
            previous_hash = s.previous, hash = s.hash
          from (select id, count, effective, hash, place, lag(hash, 1, head.hash) over (order by place) as previous
                from unnest(p_ids, p_counts, p_effective, p_hashes) with ordinality
                  as u(id, count, effective, hash, place)) s
          where e.tenant_id = p_tenant and e.entry_id = s.id and e.sequence is null;
          get diagnostics done = row_count;
        elsif wanted > 0 then
          update audit_entries e set sequence = head.sequence + s.place, previous_hash = s.previous, hash = s.hash
          from (select id, hash, place, lag(hash, 1, head.hash) over (order by place) as previous
                from unnest(p_ids, p_hashes) with ordinality as u(id, hash, place)) s
          where e.tenant_id = p_tenant and e.entry_id = s.id and e.sequence is null;
          get diagnostics done = row_count;
        end if;
        if done <> wanted then
          raise exception 'only unsealed lines can be sealed' using errcode = 'insufficient_privilege';
        end if;
        perform set_config('talent_bridge.sealing', 'on', true);
        update chain_heads h set sequence = head.sequence + wanted,
          hash = coalesce(p_hashes[wanted], head.hash), count = coalesce(p_counts[wanted], head.count),
          effective_at = coalesce(p_effective[wanted], head.effective_at),
          sealed_through = greatest(p_sealed_through, head.sealed_through),
          signed_sequence = case when p_signature is null then head.signed_sequence else head.sequence + wanted end,
          signed_hash = case when p_signature is null then head.signed_hash
            else coalesce(p_hashes[wanted], head.hash) end,
          signature = coalesce(p_signature, head.signature),
          key_id = case when p_signature is null then head.key_id else p_key_id end,
          unsigned_through = case when p_signature is null then head.unsigned_through else 0 end
        where h.tenant_id = p_tenant and h.chain = p_chain;
      end $$`);
    for (const name of ['lock_chain_head(text, text, boolean)', SEAL_CHAIN]) {
      await db.query(`revoke all on function ${name} from public`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function lock_chain_head(text, text, boolean), ${SEAL_CHAIN}`);
    for (const table of ['seat_entries', 'audit_entries', 'chain_heads']) {
      await db.query(`drop trigger ${table}_never_truncated on ${table}`);
    }
    await db.query(`drop trigger chain_heads_never_deleted on chain_heads`);
    await db.query(`drop trigger chain_heads_unsigned on chain_heads`);
    await db.query(`drop table closed_days, chain_keys`);
    await db.query(`drop function refuse_change(), note_unsigned()`);
    await db.query(`
      alter table chain_heads drop column signed_sequence, drop column signed_hash, drop column signature,
        drop column key_id, drop column unsigned_through`);
  }
}

const SEAL_CHAIN = 'seal_chain(text, text, bigint[], bytea[], int[], timestamptz[], timestamptz, bytea, text)';
