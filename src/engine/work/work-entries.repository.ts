import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { type WorkKind, LeaseLost, type TurnOutcome, type WorkKey } from '../../base/work/work.js';
import { WorkKinds } from './work-kinds.js';

interface PlaceLimits {
  readonly all: number;
  readonly ofTenant: number;
  readonly ofServer: number;
}

/** Turns under way, counted by tenant and by server: a server that does not answer holds its own part. */
export class Places {
  private taken = 0;
  private readonly tenants = new Map<string, number>();
  private readonly servers = new Map<string, number>();

  constructor(private readonly most: PlaceLimits) {}

  get free(): number {
    return Math.max(0, this.most.all - this.taken);
  }

  take(tenantId: string, server: string | null): () => void {
    this.count(tenantId, server, 1);
    return () => this.count(tenantId, server, -1);
  }

  fullTenants(): string[] {
    return atLeast(this.tenants, this.most.ofTenant);
  }

  fullServers(): string[] {
    return atLeast(this.servers, this.most.ofServer);
  }

  private count(tenantId: string, server: string | null, by: 1 | -1): void {
    this.taken += by;
    add(this.tenants, tenantId, by);
    if (server !== null) add(this.servers, server, by);
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function atLeast(counts: ReadonlyMap<string, number>, least: number): string[] {
  return [...counts].filter(([, count]) => count >= least).map(([key]) => key);
}

/** A lease ends this long after the last heartbeat: after a kill another process continues. */
export const LEASE_MS = 15_000;

/**
 * Returns the statement that finds the due work of all kinds, and leases it in turns: of a tenant and of a server one piece a
 * round. The first are those that have waited longest since they became due or had their last turn.
 *
 * Parameters: the kinds that are looked for; the time of {@link NOW}; the kinds that call servers; those that are alone; the
 * tenants and servers with no place for calls; the tenants with no place for other work; the free places for calls, and for
 * other work; the id of this claim.
 */
function claimStatement(kinds: Iterable<WorkKind>): string {
  const parts = [...kinds].flatMap((of) => {
    const { kind } = of;
    const due = of.due();
    return due === null
      ? []
      : [
          `select '${kind}' collate "C", d.tenant_id, d.id, d.since, d.server from (${due}) d where '${kind}' = any($1)`,
        ];
  });
  return `
  with due (kind, tenant_id, id, since, server) as (
    select kind, tenant_id, id, due_at, null::text from work_entries
    where tenant_id = '' and due_at <= now() and kind = any($1) and $2::timestamptz is not null
    ${parts.map((part) => `union all ${part}`).join('\n')}
  ), ready as (
    select d.*, d.kind = any($3) as calls, d.kind = any($4) as alone, greatest(d.since, e.free_at) as at,
      case when d.kind = any($4) then d.kind else d.tenant_id end as turn_of
    from due d left join work_entries e on e.tenant_id = d.tenant_id and e.kind = d.kind and e.id = d.id
    where e.free_at is null or e.free_at <= now()
  ), turns as (
    select r.*, row_number() over (partition by calls, alone, turn_of order by at) as of_tenant,
      row_number() over (partition by calls, alone, coalesce(server, turn_of) order by at) as of_server
    from ready r
    where alone or case when calls then tenant_id <> all($5) and coalesce(server, '') <> all($6) else tenant_id <> all($7) end
  ), picked as (
    select t.*, row_number() over (partition by calls, alone order by at) as place from turns t
    where of_tenant = 1 and of_server = 1
  )
  insert into work_entries as e (tenant_id, kind, id, server, holder, free_at)
  select tenant_id, kind, id, server, $10, clock_timestamp() + interval '${LEASE_MS} milliseconds' from picked
  where alone or place <= case when calls then $8::int else $9::int end
  -- In one order: two processes that claim at the same time wait for each other once.
  order by tenant_id, kind, id
  on conflict (tenant_id, kind, id) do update set holder = excluded.holder, free_at = excluded.free_at,
    server = excluded.server, held_since = now()
    where e.free_at <= clock_timestamp() and (e.due_at is null or e.due_at <= clock_timestamp())
  returning kind, tenant_id as "tenantId", id, server, failures`;
}

export interface ClaimedWork extends WorkKey {
  readonly kind: string;
  readonly server: string | null;
  readonly failures: number;
  /** The claim: after the end of a lease the entry has another one. */
  readonly holder: string;
}

/** The rest or lease of a piece of work. */
export interface EntryState {
  notBefore: Date | null;
  /** The end of the lease, which a live process renews; null when no process has the work. */
  leaseUntil: Date | null;
}

interface WorkRow {
  kind: string;
  tenant_id: string | null;
  id: string | null;
  state: 'running' | 'resting' | 'waiting';
  failures: number;
  reason: string | null;
  next_at: Date | null;
}

/** `resting`: only if no process has the work; `failing`: only after a failure; `all`: in any case. */
type Roused = 'resting' | 'failing' | 'all';

/** The table of work: leases, rests, and intervals. Due work is in the tables of the rooms. */
@Injectable()
export class WorkEntries {
  private text: string | null = null;

  constructor(
    private readonly db: Database,
    private readonly kinds: WorkKinds,
    private readonly clock: Clock,
  ) {}

  /** Adds the entries of work with an interval; a new one is due at once. */
  async addIntervals(): Promise<void> {
    const names = [...this.kinds.all.values()].filter((kind) => kind.due() === null).map(({ kind }) => kind);
    await this.db.query(
      `insert into work_entries (tenant_id, kind, id, free_at, due_at) select '', k, '', now(), now() from unnest($1::text[]) k
       order by k on conflict do nothing`,
      [names],
    );
  }

  async claim(kinds: readonly WorkKind[], local: Places, foreign: Places): Promise<ClaimedWork[]> {
    this.text ??= claimStatement(this.kinds.all.values());
    const names = (those: readonly WorkKind[]): string[] => those.map(({ kind }) => kind);
    const holder = randomUUID();
    const { rows } = await this.db.query<Omit<ClaimedWork, 'holder'>>(this.text, [
      names(kinds),
      this.clock.now(),
      names(kinds.filter(({ callsOut }) => callsOut)),
      names(kinds.filter(({ isAlone }) => isAlone)),
      foreign.fullTenants(),
      foreign.fullServers(),
      local.fullTenants(),
      foreign.free,
      local.free,
      holder,
    ]);
    return rows.map((row) => ({ ...row, holder }));
  }

  /**
   * Renews leases. A lease that a transaction of its own turn holds was renewed by `hold`.
   *
   * @returns the places in `held` of the leases that other processes have by now
   */
  async renew(held: readonly ClaimedWork[]): Promise<number[]> {
    const { rows } = await this.db.query<{ lost: number }>(
      `with asked as (
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality a (tenant_id, kind, id, holder, n)
       ), mine as (
         select e.tenant_id, e.kind, e.id from work_entries e join asked a using (tenant_id, kind, id, holder)
         for update of e skip locked
       ), renewed as (
         update work_entries e set free_at = clock_timestamp() + interval '${LEASE_MS} milliseconds' from mine m
         where e.tenant_id = m.tenant_id and e.kind = m.kind and e.id = m.id)
       select (a.n - 1)::int as lost from asked a left join work_entries e using (tenant_id, kind, id)
       where e.holder is distinct from a.holder`,
      [
        held.map(({ tenantId }) => tenantId),
        held.map(({ kind }) => kind),
        held.map(({ id }) => id),
        held.map(({ holder }) => holder),
      ],
    );
    return rows.map(({ lost }) => lost);
  }

  /**
   * Keeps every other process from the work until the commit, and renews the lease.
   *
   * @throws {LeaseLost} when another process has the work
   */
  async hold(tx: SqlRunner, { tenantId, kind, id, holder }: ClaimedWork): Promise<void> {
    const { rowCount } = await tx.query(
      `update work_entries set free_at = clock_timestamp() + interval '${LEASE_MS} milliseconds'
       where tenant_id = $1 and kind = $2 and id = $3 and holder = $4`,
      [tenantId, kind, id, holder],
    );
    if (rowCount !== 1) throw new LeaseLost(`another process has the work ${kind}`);
  }

  /** Gives work back; false when another process has it by now. */
  async release(work: ClaimedWork, outcome: TurnOutcome, restMs: number, everyMs: number | null): Promise<boolean> {
    const { tenantId, kind, id, holder, failures } = work;
    const of = [tenantId, kind, id, holder];
    if (outcome.state === 'done' && everyMs === null) {
      const { rowCount } = await this.db.query(
        `delete from work_entries where tenant_id = $1 and kind = $2 and id = $3 and holder = $4`,
        of,
      );
      return rowCount === 1;
    }
    const hasFailed = outcome.state === 'failed';
    const { rowCount } = await this.db.query(
      `update work_entries set holder = null, failures = $5, reason = $6,
         free_at = clock_timestamp() + $7 * interval '1 millisecond',
         due_at = case when $8::float8 is null then due_at else clock_timestamp() + $8 * interval '1 millisecond' end
       where tenant_id = $1 and kind = $2 and id = $3 and holder = $4`,
      [...of, hasFailed ? failures + 1 : 0, outcome.reason, restMs, hasFailed ? null : everyMs],
    );
    return rowCount === 1;
  }

  /** Ends the rest of a piece of work. A turn that is under way loses its lease, and can write nothing more. */
  async rouse(db: SqlRunner, { tenantId, kind, id }: WorkKey & { kind: string }, which: Roused): Promise<void> {
    await db.query(
      `delete from work_entries where tenant_id = $1 and kind = $2 and id = $3
         and case $4 when 'all' then true when 'failing' then failures > 0 else holder is null end`,
      [tenantId, kind, id, which],
    );
  }

  async stateOf(tenantId: string, kind: string, id: string): Promise<EntryState | undefined> {
    const { rows } = await this.db.query<EntryState & Record<string, unknown>>(
      `select case when holder is null then free_at end as "notBefore",
         case when holder is not null then free_at end as "leaseUntil" from work_entries
       where tenant_id = $1 and kind = $2 and id = $3`,
      [tenantId, kind, id],
    );
    return rows[0];
  }

  async list(limit: number): Promise<WorkRow[]> {
    const { rows } = await this.db.query<WorkRow & Record<string, unknown>>(
      `select kind, nullif(tenant_id, '') as tenant_id, nullif(id, '') as id, failures, reason,
         case when holder is not null and free_at > now() then 'running' when free_at > now() then 'resting' else 'waiting' end as state,
         case when holder is null and greatest(free_at, due_at) > now() then greatest(free_at, due_at) end as next_at
       from work_entries e order by e.failures desc, e.tenant_id, e.kind, e.id limit $1`,
      [limit],
    );
    return rows;
  }
}
