import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { WrittenBytes } from '../../../base/database/byte-cut.js';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import { Logger } from '../../../base/log/logger.js';
import { StorageExhausted } from './storage.errors.js';
import { StorageRepository, type StorageRow } from './storage.repository.js';
import { isAtLeast, isLogFull, storageStateOf } from './storage.rules.js';

/** Records that the storage of a tenant is nearly or wholly used. The room of the events implements it. */
export abstract class StorageEventRecorder {
  /** `data` is in bytes. */
  abstract record(
    tx: SqlRunner,
    tenantId: string,
    event: 'storage.approaching' | 'storage.exhausted',
    data: { limit_bytes: number; used_bytes: number },
  ): Promise<void>;
}

const TICK_MS = 1_000;
/** Each tick flushes the tenants that have written at least this number of bytes; each tenth tick flushes all. */
const FLUSHED_AT = 256 * 1024;
const ALL_EACH = 10;
/** Each fifth tick reads the exhausted tenants again, while there are any. */
const LOOK_EACH = 5;

/**
 * Refuses requests of tenants whose storage is exhausted. Every process has the exhausted tenants in memory, so that a
 * request costs no statement. It adds its writes to the counters every few seconds.
 */
@Injectable()
export class TenantStorage implements OnModuleInit, OnApplicationShutdown {
  private full: ReadonlySet<string> = new Set();
  private readonly fullLogs = new Set<string>();
  private readonly logged = new WrittenBytes();
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly repository: StorageRepository,
    private readonly events: StorageEventRecorder,
    private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => {
      this.running ??= this.tick().finally(() => (this.running = undefined));
    }, TICK_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.flush();
  }

  /** As far as this process knows. */
  isExhausted(tenantId: string): boolean {
    return this.full.has(tenantId);
  }

  demandRoom(tenantId: string): void {
    if (this.full.has(tenantId)) throw new StorageExhausted();
  }

  /** As far as this process knows. */
  isLogFull(tenantId: string): boolean {
    return this.fullLogs.has(tenantId);
  }

  /** Counts bytes of the log of requests, which has a limit of its own so that it does not stop other writes. */
  addLogged(tenantId: string, bytes: number): void {
    this.logged.add(tenantId, bytes);
  }

  /** Tenants with less than `least` written bytes wait. Bytes that cannot be added wait for the next flush. */
  async flush(least = 0): Promise<void> {
    const taken = this.db.written.take(least);
    const logged = this.logged.take(least);
    // The figures of a full log are read again, so that it is written when a month has left.
    if (least === 0) for (const tenantId of this.fullLogs) if (!logged.has(tenantId)) logged.set(tenantId, 0);
    if (taken.size === 0 && logged.size === 0) return;
    try {
      const rows = await this.repository.add(taken, logged);
      taken.clear();
      logged.clear();
      this.noteLogs(rows);
      for (const row of rows) {
        if (isRaised(row)) await this.db.transaction(row.tenantId, (tx) => this.settle(tx, row.tenantId));
      }
      if (rows.some(isRaised)) await this.look();
    } catch (error) {
      for (const [tenantId, bytes] of taken) this.db.written.add(tenantId, bytes);
      for (const [tenantId, bytes] of logged) this.logged.add(tenantId, bytes);
      this.logger.warn('storage.not_counted', { error });
    }
  }

  async look(): Promise<void> {
    this.full = new Set(await this.repository.exhausted());
  }

  /** Sets the state that follows from the figures, in their transaction, with an event where it rises. */
  async settle(tx: SqlRunner, tenantId: string): Promise<StorageRow> {
    const row = await this.repository.locked(tx, tenantId);
    const state = storageStateOf(row.used, row.limit, row.state);
    if (state === row.state) return row;
    await this.repository.setState(tx, tenantId, state);
    const figures = { limit_bytes: row.limit ?? 0, used_bytes: Math.round(row.used) };
    const about = { tenant_id: tenantId, state, ...figures };
    if (state === 'ok' || isAtLeast(row.state, state)) this.logger.info('storage.eased', about);
    else {
      const event = `storage.${state}` as const;
      this.logger.warn(event, about);
      await this.events.record(tx, tenantId, event, figures);
    }
    return { ...row, state };
  }

  private noteLogs(rows: readonly StorageRow[]): void {
    for (const { tenantId, logUsed, limit } of rows) {
      if (isLogFull(logUsed, limit)) this.fullLogs.add(tenantId);
      else this.fullLogs.delete(tenantId);
    }
  }

  private async tick(): Promise<void> {
    this.ticks++;
    await this.flush(this.ticks % ALL_EACH === 0 ? 0 : FLUSHED_AT);
    if (this.full.size === 0 || this.ticks % LOOK_EACH !== 0) return;
    await this.look().catch((error: unknown) => this.logger.warn('storage.not_read', { error }));
  }
}

function isRaised(row: StorageRow): boolean {
  return !isAtLeast(row.state, storageStateOf(row.used, row.limit, row.state));
}
