import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Destinations get a channel and an id, and lanes a state. The call of a lane is frozen when it is claimed; what stays
 * known of it without an answer is stored when the lane is parked. Columns that follow from these are dropped.
 */
export class LaneStates1767227200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table destinations
        add column channel text collate "C" not null default 'platform',
        add column id text collate "C" not null default 'main',
        drop constraint destinations_pkey,
        add primary key (tenant_id, channel, id)`);
    await db.query(`
      alter table attempts
        add column channel text collate "C" not null default 'platform',
        add column destination text collate "C" not null default 'main'`);
    await db.query(`alter table attempts rename column user_id to subject`);
    await db.query(`drop index lanes_due, lanes_parked, lanes_platform_id, lanes_outdated`);
    for (const [from, to] of RENAMED) await db.query(`alter table lanes rename column ${from} to ${to}`);
    await db.query(`
      alter table lanes
        add column channel text collate "C" not null default 'platform',
        add column destination text collate "C" not null default 'main',
        add column state text not null default 'idle',
        add column newer_since timestamptz,
        add column account text not null default 'none',
        add column confirmed_digest text`);
    await db.query(FREEZE);
    await db.query(GIVE_UP_PARKED);
    await db.query(SET_STATE);
    await db.query(`
      alter table lanes
        drop column calling, drop column call_by, drop column call_as, drop column adopted, drop column lease_until,
        drop column parked_at, drop column confirmed_person,
        drop constraint lanes_pkey,
        add primary key (tenant_id, channel, destination, subject),
        alter column state drop default,
        alter column call type json using call::json,
        add constraint lane_state check (${STATE_CHECK}),
        add constraint lane_account check ((account = 'bound') = (platform_id is not null)
          and account in ('bound', 'none', 'unnamed', 'lost', 'sought'))`);
    // The columns of these conditions stay as they are when a lane is claimed, so that a claim writes no index.
    await db.query(`
      create index lanes_due on lanes (tenant_id, channel, destination, rank, first_pending)
      where first_pending is not null and parked_reason is null`);
    await db.query(`
      create index lanes_parked on lanes (tenant_id, channel, destination, failed_at) where parked_reason is not null`);
    await db.query(`
      create index lanes_platform_id on lanes (tenant_id, channel, destination, platform_id)
      where platform_id is not null`);
    await db.query(`
      create index lanes_outdated on lanes (tenant_id, channel, destination) where newer_since is not null`);
  }

  async down(): Promise<void> {
    throw new Error('the states of lanes cannot be taken back: restore a backup');
  }
}

const RENAMED = [
  ['user_id', 'subject'],
  ['target_person', 'target_body'],
  ['calls', 'call_count'],
  ['attempts', 'own_failure_count'],
  ['tries', 'failure_count'],
  ['parked', 'parked_reason'],
];

const DIGEST = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

// A call that was made of the columns themselves is copied. One that was copied before gets the digest that it knew: it
// was the same as what was confirmed, or it does not matter.
const FREEZE = `
  update lanes set
    confirmed_digest = ${DIGEST('confirmed_person')},
    newer_since = case when call is not null then (call ->> 'at')::timestamptz end,
    call = case
      when not calling then null
      when call is null then jsonb_build_object(
        'v', 1, 'n', call_count, 'by', call_by, 'state', target_state, 'person', target_body, 'as', call_as,
        'first', first_pending, 'through', last_pending, 'round', round, 'epoch', epoch, 'platform_id', platform_id,
        'confirmed', confirmed_state, 'known', ${DIGEST('confirmed_person')}, 'lookup', lookup)
      else call - 'at' - 'same' || jsonb_build_object(
        'known', case when (call ->> 'same')::boolean then ${DIGEST(`call ->> 'person'`)} end)
    end`;

const ASKS = `coalesce(lookup ->> 'why', 'found') not in ('found', 'dissolved')`;

// What stays known of a parked call without an answer.
const GIVE_UP_PARKED = `
  update lanes set
    lookup = case when call ->> 'platform_id' is null and call ->> 'state' = 'active'
                   and coalesce(call -> 'lookup' ->> 'why', 'found') in ('found', 'dissolved')
                  then '{"why":"lost"}'::jsonb else lookup end,
    confirmed_state = case when platform_id is null then confirmed_state end
  where parked_reason is not null and call is not null`;

const SET_STATE = `
  update lanes set
    state = case
      when first_pending is null then 'idle'
      when parked_reason is not null then 'parked'
      when lease_token is not null and call is not null then 'calling'
      when next_at > now() then 'backing_off'
      else 'due' end,
    next_at = case
      when first_pending is null or parked_reason is not null then '-infinity'
      when lease_token is not null and call is not null then lease_until
      when next_at > now() then next_at
      else '-infinity' end,
    call = case when first_pending is not null then call end,
    lease_token = case when first_pending is not null and parked_reason is null and call is not null then lease_token end,
    pending_since = case when first_pending is not null then coalesce(pending_since, now()) end,
    newer_since = case when first_pending is not null and parked_reason is null and call is not null then newer_since end,
    failed_at = coalesce(parked_at, failed_at),
    parked_reason = case when first_pending is not null then parked_reason end,
    account = case
      when platform_id is not null then 'bound'
      when not ${ASKS} then case when confirmed_state = 'active' then 'unnamed' else 'none' end
      when confirmed_state = 'active' or lookup ->> 'why' in ('lost', 'no_id') then 'lost'
      else 'sought' end`;

// Each state says which columns have a value.
const STATE_CHECK = `case state
  when 'idle' then first_pending is null and pending_since is null and newer_since is null and call is null
    and lease_token is null and parked_reason is null and next_at = '-infinity'
  when 'due' then first_pending is not null and lease_token is null and parked_reason is null and next_at = '-infinity'
  when 'calling' then first_pending is not null and lease_token is not null and call is not null
    and parked_reason is null and next_at > '-infinity'
  when 'backing_off' then first_pending is not null and lease_token is null and parked_reason is null
    and next_at > '-infinity'
  when 'parked' then first_pending is not null and lease_token is null and parked_reason is not null
    and next_at = '-infinity'
  else false end`;
