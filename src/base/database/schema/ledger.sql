-- The chains over the two ledgers of a tenant, `seats` (seat_entries) and `audit` (audit_entries). The service may add lines
-- and read them; it seals them through functions that run with the rights of the owner.

-- The end of a chain: the last sealed line, on which the next one is sealed, and the last line that is signed for.
create table chain_heads (
  tenant_id text collate "C" not null references tenants (id),
  chain text not null check (chain in ('seats', 'audit')),
  sequence bigint not null default 0,
  -- Seats held after that line.
  count int not null default 0,
  hash bytea not null,
  effective_at timestamptz,
  sealed_through timestamptz,
  signed_sequence bigint,
  signed_hash bytea,
  signature bytea,
  key_id text,
  -- How far the chain came before heads were signed.
  unsigned_through bigint not null default 0,
  primary key (tenant_id, chain)
);
create trigger chain_heads_never_deleted before delete on chain_heads
  for each row execute function refuse_change();
create trigger chain_heads_never_truncated before truncate on chain_heads
  for each statement execute function refuse_change();

-- Notes how far a chain came without a signature: lines that were sealed by an update, in place of seal_chain.
create function note_unsigned() returns trigger language plpgsql as $$
begin
  if new.sequence > old.sequence and old.signature is null and new.signature is null
     and current_setting('talent_bridge.sealing', true) is distinct from 'on' then
    new.unsigned_through := new.sequence;
  end if;
  return new;
end $$;
create trigger chain_heads_unsigned before update on chain_heads
  for each row execute function note_unsigned();

-- A day of a chain that is over: its last line, signed together with the day before.
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
);
create trigger closed_days_append_only before update or delete on closed_days
  for each row execute function refuse_change();
create trigger closed_days_never_truncated before truncate on closed_days
  for each statement execute function refuse_change();

-- A public key that signs heads and days, with the signature of a key that vouches for it.
create table chain_keys (
  key_id text collate "C" not null,
  endorsed_by text collate "C" not null,
  public_key bytea not null,
  endorsement bytea not null,
  created_at timestamptz not null default now(),
  primary key (key_id, endorsed_by)
);
create trigger chain_keys_append_only before update or delete on chain_keys
  for each row execute function refuse_change();
create trigger chain_keys_never_truncated before truncate on chain_keys
  for each statement execute function refuse_change();

-- Locks the head of a chain. Without `p_wait` it returns no row where another process has the lock.
create function lock_chain_head(p_tenant text, p_chain text, p_wait boolean) returns setof chain_heads
language plpgsql security definer set search_path from current as $$
begin
  if p_wait then
    return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
  else
    return query select * from chain_heads where tenant_id = p_tenant and chain = p_chain for update skip locked;
  end if;
end $$;
revoke all on function lock_chain_head(text, text, boolean) from public;

-- Seals lines and moves the head. Sequence and previous hash follow from the head, so a caller can only add to the end. Only
-- lines without a sequence are sealed, in the order of their ids; a missing one refuses the whole batch.
create function seal_chain(p_tenant text, p_chain text, p_ids bigint[], p_hashes bytea[], p_counts int[],
  p_effective timestamptz[], p_sealed_through timestamptz, p_signature bytea, p_key_id text) returns void
language plpgsql security definer set search_path from current as $$
declare
  head chain_heads%rowtype;
  wanted int := coalesce(cardinality(p_ids), 0);
  done int := 0;
begin
  select * into head from chain_heads where tenant_id = p_tenant and chain = p_chain for update;
  if not found then raise exception 'the chain % has no head', p_chain using errcode = 'no_data_found'; end if;
  if p_ids <> array(select id from unnest(p_ids) as u(id) order by u.id) then
    raise exception 'lines are sealed in the order of their ids' using errcode = 'insufficient_privilege';
  end if;
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
end $$;
revoke all on function seal_chain(text, text, bigint[], bytea[], int[], timestamptz[], timestamptz, bytea, text)
  from public;
