import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Gauge, type Registry } from 'prom-client';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { Whole } from '../../../base/http/fields.js';
import { ServerSet } from '../../../base/http/validate.js';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { AuditService, type AuditBy } from '../audit/audit.service.js';
import { STORAGE_CLASSES, type StorageClass, COUNTED_TABLES } from './counted-tables.js';
import { StorageRepository, type StorageRow, DUE_STORAGE } from './storage.repository.js';
import { STORAGE_STATES, type StorageState, nextMeasurement, restAfter, storageStateOf } from './storage.rules.js';
import { TenantStorage } from './tenant-storage.js';

const MIB = 1024 ** 2;
const MOST_BYTES = 1024 ** 5;

@ServerSet('used_bytes', 'state', 'measured_at', 'classes', 'is_own_limit')
export class SetStorageLimit {
  @Whole({
    min: MIB,
    max: MOST_BYTES,
    nullable: true,
    description: 'Bytes that the tenant may store; null: the limit of the installation holds.',
  })
  limit_bytes!: number | null;
}

class StorageOfClass {
  @ApiProperty({ enum: STORAGE_CLASSES, example: 'people' })
  class!: StorageClass;
  @ApiProperty({ type: 'integer', example: 1_048_576 })
  bytes!: number;
}

export class StorageBody {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 21_474_836_480,
    description: 'Bytes that the tenant may store; null: there is no limit.',
  })
  limit_bytes!: number | null;
  @ApiProperty({ description: 'The limit is that of the tenant, and not that of the installation.' })
  is_own_limit!: boolean;
  @ApiProperty({
    type: 'integer',
    example: 1_048_576,
    description:
      'Bytes of rows as last measured, and an estimate of what was written since then. Indexes do not count, nor does ' +
      '`request_log`, which may take a tenth of the limit beside.',
  })
  used_bytes!: number;
  @ApiProperty({
    enum: STORAGE_STATES,
    description: '`approaching` from 80 % on. `exhausted`: requests that add data are 507 `storage_exhausted`.',
  })
  state!: StorageState;
  @ApiProperty({ type: Date, nullable: true, description: 'When the tables were last measured; null: not yet.' })
  measured_at!: Date | null;
  @ApiProperty({ type: [StorageOfClass], description: 'The measured bytes by kind, the largest first.' })
  classes!: StorageOfClass[];
}

function bodyOf(row: StorageRow): StorageBody {
  const classes = Object.entries(row.classes) as [StorageClass, number][];
  return {
    limit_bytes: row.limit,
    is_own_limit: row.ownLimit !== null,
    used_bytes: Math.round(row.used),
    state: row.state,
    measured_at: row.measuredAt,
    classes: classes.map(([name, bytes]) => ({ class: name, bytes })).sort((a, b) => b.bytes - a.bytes),
  };
}

/** The rows of one statement, a few milliseconds of work. */
const ROWS = 5_000;
const BUSY_PAUSE_MS = 100;

/**
 * Measures the bytes of tenants from their tables: each tenant once a day, and one that has written a twentieth of its
 * limit at once. One tenant at a time in a process, in pieces of rows.
 */
@Injectable()
export class StorageMeasuring extends WorkKind {
  override readonly kind = 'storage.measuring';
  override readonly everyMs = 5_000;
  override readonly isAlone = true;
  override readonly backoff = { firstMs: 60_000, mostMs: 1_800_000 };

  constructor(
    private readonly db: Database,
    private readonly repository: StorageRepository,
    private readonly storage: TenantStorage,
    private readonly logger: Logger,
    private readonly activity: Activity,
  ) {
    super();
  }

  override due(): string {
    return DUE_STORAGE;
  }

  override async run(turn: Turn): Promise<TurnOutcome> {
    const { tenantId } = turn;
    const due = await this.repository.due(tenantId);
    if (due === undefined) return DONE;
    const { written, logWritten } = due;
    const began = performance.now();
    const classes = await this.measure(turn);
    if (classes === null) return DONE;
    const { request_log: _, ...counted } = classes;
    const bytes = Object.values(counted).reduce((sum, one) => sum + one, 0);
    const took = (performance.now() - began) / 1_000;
    const state = await this.db.transaction(tenantId, async (tx) => {
      const before = await this.repository.locked(tx, tenantId);
      const used = bytes + Math.max(0, before.written - written);
      const nextSeconds = nextMeasurement(storageStateOf(used, before.limit, before.state), took);
      await this.repository.measured(tx, tenantId, {
        bytes,
        classes,
        written,
        logWritten,
        nextSeconds,
        restSeconds: restAfter(took),
      });
      return (await this.storage.settle(tx, tenantId)).state;
    });
    this.logger.debug('storage.measured', { tenant_id: tenantId, bytes, state, ms: Math.round(took * 1_000) });
    await this.storage.look();
    return DONE;
  }

  private async measure(turn: Turn): Promise<Partial<Record<StorageClass, number>> | null> {
    const classes: Partial<Record<StorageClass, number>> = {};
    for (const [table, kind] of Object.entries(COUNTED_TABLES)) {
      let after: string[] | null = null;
      do {
        if (turn.isOver) return null;
        const piece = await this.repository.piece(turn.tenantId, table, after, ROWS);
        classes[kind] = (classes[kind] ?? 0) + piece.bytes;
        after = piece.last;
        if (this.activity.isBusy()) await sleep(BUSY_PAUSE_MS);
      } while (after !== null);
    }
    return classes;
  }
}

/** Shows the stored bytes of tenants, sets their limits, and counts them for metrics. */
@Injectable()
export class StorageService {
  constructor(
    private readonly db: Database,
    private readonly repository: StorageRepository,
    private readonly storage: TenantStorage,
    private readonly audit: AuditService,
  ) {}

  /** Returns the stored bytes of a tenant, with those that this process has not yet added to the counter. */
  async show(tenantId: string): Promise<StorageBody> {
    await this.storage.flush();
    const row = await this.repository.find(tenantId);
    return bodyOf(row ?? (await this.db.transaction(tenantId, (tx) => this.repository.locked(tx, tenantId))));
  }

  /** `limit` is in bytes; null when the limit of the installation applies. */
  async setLimit(by: AuditBy, limit: number | null): Promise<StorageBody> {
    const { tenantId } = by;
    const row = await this.db.transaction(tenantId, async (tx) => {
      const { ownLimit } = await this.repository.locked(tx, tenantId);
      await this.repository.setLimit(tx, tenantId, limit);
      await this.audit.record(tx, {
        ...by,
        action: 'storage_limit.changed',
        targetType: 'tenant',
        targetId: tenantId,
        before: { limit_bytes: ownLimit },
        after: { limit_bytes: limit },
      });
      return this.storage.settle(tx, tenantId);
    });
    await this.storage.look();
    return bodyOf(row);
  }

  register(registry: Registry): void {
    const { db } = this;
    new Gauge({
      name: 'bridge_storage_bytes',
      help: 'Stored bytes of rows by class, over all tenants, as last measured',
      labelNames: ['class'],
      registers: [registry],
      async collect() {
        const { rows } = await db.query<{ class: string; bytes: number }>(
          `select c.key as class, sum(c.value::numeric)::float8 as bytes
           from tenant_storage s cross join lateral jsonb_each_text(s.classes) c group by c.key`,
        );
        const found = new Map(rows.map(({ class: name, bytes }) => [name, bytes]));
        for (const name of STORAGE_CLASSES) this.set({ class: name }, found.get(name) ?? 0);
      },
    });
    new Gauge({
      name: 'bridge_storage_tenants',
      help: 'Tenants that approach the limit of their storage, or have exhausted it',
      labelNames: ['state'],
      registers: [registry],
      async collect() {
        const { rows } = await db.query<{ state: string; count: number }>(
          `select state, count(*)::int as count from tenant_storage where state <> 'ok' group by state`,
        );
        const found = new Map(rows.map(({ state, count }) => [state, count]));
        for (const state of ['approaching', 'exhausted'] satisfies StorageState[])
          this.set({ state }, found.get(state) ?? 0);
      },
    });
  }
}
