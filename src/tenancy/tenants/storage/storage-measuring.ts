import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../../base/activity.js';
import { Database } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import { COUNTED_TABLES, type StorageClass } from './counted-tables.js';
import { DUE_STORAGE, StorageRepository } from './storage.repository.js';
import { nextMeasurement, restAfter, storageStateOf } from './storage.rules.js';
import { TenantStorage } from './tenant-storage.js';

/** The rows of one statement, a few milliseconds of work. */
const ROWS = 5_000;
const BUSY_PAUSE_MS = 100;

/**
 * Measures the bytes of tenants from their tables: each tenant once a day, and one that has written a twentieth of its limit
 * at once. One tenant at a time in a process, in pieces of rows.
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

  /** Measures a tenant. */
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

  /** Returns the bytes by class; null: the turn is over. */
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
