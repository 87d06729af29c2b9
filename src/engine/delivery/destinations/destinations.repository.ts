import { Injectable } from '@nestjs/common';
import { Sealer } from '../../../base/crypto/seal.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { SealedColumn } from '../../../base/sealing/reseal.js';
import {
  DEFAULT_SETTINGS,
  type Destination,
  type DestinationKey,
  type DestinationSettings,
  type DestinationState,
} from '../destination.js';
import { unpark } from '../lanes/admin.js';

/** A change of a destination; an absent field stays. */
export interface DestinationChange {
  baseUrl?: string;
  /** The operator chose the address: its origin may be private, for this tenant. */
  operatorOrigin?: string;
  /** null removes the key. */
  key?: string | null;
  settings?: Partial<Omit<DestinationSettings, 'paths'>>;
  paths?: Partial<DestinationSettings['paths']>;
}

interface Row {
  tenant_id: string;
  channel: string;
  id: string;
  base_url: string;
  operator_origin: string | null;
  key_sealed: string | null;
  key_hint: string | null;
  settings: Partial<DestinationSettings>;
  version: number;
  epoch: number;
  state: DestinationState;
  state_reason: string | null;
  state_detail: string | null;
  state_since: Date;
  next_probe_at: Date | null;
  probe_in_ms: number | null;
  last_success_at: Date | null;
  has_refusals: boolean;
  failing_since: Date | null;
  failing_stage: number;
  updated_at: Date;
}

const COLUMNS = `tenant_id, channel, id, base_url, operator_origin, key_sealed, key_hint, settings, version, epoch, state, state_reason, state_detail,
  state_since, next_probe_at, extract(epoch from next_probe_at - now())::float8 * 1000 as probe_in_ms, last_success_at,
  refusals <> '[]' as has_refusals, failing_since, failing_stage, updated_at`;
const BY_KEY = `tenant_id = $1 and channel = $2 and id = $3`;

/** Pauses that a change of the settings does not end: only `resume` does. */
const STAYS = `state_reason in ('by_hand', 'database_restored')`;

/** Keys of the platform were sealed before there were other channels. */
function destinationKeyAad({ tenantId, channel, id }: DestinationKey): string {
  return channel === 'platform' ? `${tenantId}:destinations.key` : `${tenantId}:destinations.key:${channel}:${id}`;
}

/** The destinations of each tenant: address, key and settings. */
@Injectable()
export class DestinationsRepository {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  async read(key: DestinationKey, db: SqlRunner = this.db): Promise<Destination | null> {
    const { tenantId, channel, id } = key;
    const { rows } = await db.query<Row>(`select ${COLUMNS} from destinations where ${BY_KEY}`, [
      tenantId,
      channel,
      id,
    ]);
    return rows[0] ? this.destination(rows[0]) : null;
  }

  /** Locked until the end of the transaction. */
  async lock(tx: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<Destination | null> {
    const { rows } = await tx.query<Row>(`select ${COLUMNS} from destinations where ${BY_KEY} for update`, [
      tenantId,
      channel,
      id,
    ]);
    return rows[0] ? this.destination(rows[0]) : null;
  }

  /**
   * Makes or changes a destination. Another address begins a new epoch. A change ends every pause, except one by hand or after
   * a restore. `moved`: the address is another one.
   */
  async save(
    tx: SqlRunner,
    key: DestinationKey,
    change: DestinationChange,
  ): Promise<{ before: Destination | null; after: Destination; moved: boolean }> {
    const before = await this.lock(tx, key);
    const baseUrl = change.baseUrl ?? before?.baseUrl;
    if (baseUrl === undefined) throw new Error('a destination needs an address');
    if (before?.stateReason === 'looks_misconfigured') await unpark(tx, key, { refusedInARow: true });
    const known = before?.settings ?? DEFAULT_SETTINGS;
    const settings = { ...known, ...change.settings, paths: { ...known.paths, ...change.paths } };
    const moved = before !== null && before.baseUrl !== baseUrl;
    const { rows } = await tx.query<Row>(
      `insert into destinations as d (tenant_id, channel, id, base_url, key_sealed, key_hint, settings, operator_origin)
       values ($1, $9, $10, $2, $3, $4, $5::jsonb, $8)
       on conflict (tenant_id, channel, id) do update set
         base_url = excluded.base_url,
         operator_origin = coalesce(excluded.operator_origin, d.operator_origin),
         key_sealed = case when $7 then excluded.key_sealed else d.key_sealed end,
         key_hint = case when $7 then excluded.key_hint else d.key_hint end,
         settings = excluded.settings, version = d.version + 1, epoch = d.epoch + $6::boolean::int,
         state = case when d.${STAYS} then d.state else 'ok' end,
         state_reason = case when d.${STAYS} then d.state_reason end,
         state_detail = case when d.${STAYS} then d.state_detail end,
         state_since = case when d.state = 'ok' or d.${STAYS} then d.state_since else now() end,
         last_success_at = case when $6 then null else d.last_success_at end,
         probes = 0, next_probe_at = null, refusals = '[]', failing_since = null, failing_stage = 0, updated_at = now()
       returning ${COLUMNS}`,
      [
        key.tenantId,
        baseUrl,
        change.key == null ? null : this.sealer.seal(change.key, destinationKeyAad(key)),
        change.key == null ? null : change.key.slice(-4),
        JSON.stringify(settings),
        moved,
        change.key !== undefined,
        change.operatorOrigin ?? null,
        key.channel,
        key.id,
      ],
    );
    return { before, after: this.destination(rows[0]!), moved };
  }

  private destination(row: Row): Destination {
    const key = this.keyOf(row);
    return {
      tenantId: row.tenant_id,
      channel: row.channel,
      id: row.id,
      baseUrl: row.base_url,
      operatorOrigin: row.operator_origin,
      key,
      keyUnreadable: key === null && row.key_sealed !== null,
      keyHint: row.key_hint,
      settings: { ...DEFAULT_SETTINGS, ...row.settings, paths: { ...DEFAULT_SETTINGS.paths, ...row.settings.paths } },
      version: row.version,
      epoch: row.epoch,
      state: row.state,
      stateReason: row.state_reason,
      stateDetail: row.state_detail,
      stateSince: row.state_since,
      nextProbeAt: row.next_probe_at,
      probeAt: row.probe_in_ms === null ? null : performance.now() + row.probe_in_ms,
      lastSuccessAt: row.last_success_at,
      hasRefusals: row.has_refusals,
      failingSince: row.failing_since,
      failingStage: row.failing_stage,
      updatedAt: row.updated_at,
    };
  }

  /** Returns null for a key that cannot be opened: it has to be given again. */
  private keyOf(row: Row): string | null {
    if (row.key_sealed === null) return null;
    const { tenant_id: tenantId, channel, id } = row;
    return this.sealer.unsealOrNull(row.key_sealed, destinationKeyAad({ tenantId, channel, id }));
  }
}

/**
 * Gives a destination another address. Waiting changes are sent there. A pause stays: another address alone does not show that
 * calls arrive. Failures of the old address do not count.
 */
export async function moveDestination(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  baseUrl: string,
): Promise<void> {
  await tx.query(
    `update destinations set base_url = $4, version = version + 1, epoch = epoch + 1,
       state = case state when 'open' then 'ok' else state end,
       state_reason = case state when 'open' then null else state_reason end,
       state_detail = case state when 'open' then null else state_detail end,
       state_since = case state when 'open' then now() else state_since end,
       probes = 0, next_probe_at = null, failing_since = null, failing_stage = 0, updated_at = now()
     where tenant_id = $1 and channel = $2 and id = $3 and base_url <> $4`,
    [tenantId, channel, id, baseUrl],
  );
}

/** Lanes that one statement removes: none holds its locks for long. */
const BATCH = 5_000;

export const REMOVED = 'removed';

/**
 * Marks a destination as removed: nothing more is sent there. Its row stays for an hour, since a write that began before may
 * still add a lane.
 */
export async function removeDestination(tx: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<void> {
  await tx.query(
    `update destinations set state = 'paused', state_reason = '${REMOVED}', state_detail = null, key_sealed = null,
       next_probe_at = null, version = version + 1, updated_at = now()
     where tenant_id = $1 and channel = $2 and id = $3`,
    [tenantId, channel, id],
  );
}

/** Removes everything that waits for a destination, batch by batch. */
export async function removeLanes(db: Database, { tenantId, channel, id }: DestinationKey): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `delete from lanes where tenant_id = $1 and channel = $2 and destination = $3 and subject = any(array(
         select l.subject from lanes l where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
         order by l.subject limit ${BATCH}))`,
      [tenantId, channel, id],
    );
    if ((rowCount ?? 0) < BATCH) return;
  }
}

/** Rests of removed destinations: lanes of later writes, or of a process that ended. */
export const DESTINATION_LEFTOVERS = [
  `delete from lanes l using destinations d
   where d.state_reason = '${REMOVED}' and l.tenant_id = d.tenant_id and l.channel = d.channel and l.destination = d.id`,
  `delete from destinations where state_reason = '${REMOVED}' and updated_at < now() - interval '1 hour'`,
  // Messages of a paused endpoint whose events were dropped cannot be sent any more.
  `delete from lanes l using destinations d, event_floors f
   where d.channel = 'webhook' and d.state = 'paused' and f.tenant_id = d.tenant_id
     and l.tenant_id = d.tenant_id and l.channel = 'webhook' and l.destination = d.id and l.rank = any('{1,2,3}')
     and l.first_pending is not null and l.parked_reason is null and l.first_pending <= f.sequence
     and l.last_pending <= f.sequence and l.state <> 'calling'`,
] as const;

export const DESTINATION_KEYS: SealedColumn = {
  table: 'destinations',
  key: ['tenant_id', 'channel', 'id'],
  column: 'key_sealed',
  lasting: true,
  aad: (row) => destinationKeyAad({ tenantId: row['tenant_id']!, channel: row['channel']!, id: row['id']! }),
};
