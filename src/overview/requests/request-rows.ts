import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { codeOf } from '../../base/database/database.errors.js';
import { Logger } from '../../base/log/logger.js';
import { TenantStorage } from '../../tenancy/tenants/storage/tenant-storage.js';
import type { LoggedRequest } from './logged-request.mapping.js';
import { RequestsRepository } from './requests.repository.js';

const EVERY_MS = 500;
/** The pause after a failure, such as an outage of the database. */
const AGAIN_MS = 5_000;
const BATCH = 500;
const MOST_BYTES = 16 * 1024 * 1024;
const TENANT_BYTES = 4 * 1024 * 1024;
/** Bytes of a row in memory without its body. */
const ROW_BYTES = 512;

/** `unique_violation`: a former attempt has written the row, and its answer was lost. */
const WRITTEN = '23505';

/** Average bytes of a row in the database without its body. */
const STORED_BYTES = 200;

type Loss = 'full' | 'storage' | 'refused';

/**
 * Writes the rows of the log of requests in batches, so that no request waits for its row. A killed process loses the rows
 * of half a second; the change of a write is stored with the write.
 */
@Injectable()
export class RequestRows implements OnApplicationShutdown {
  private readonly dropped = new Counter({
    name: 'bridge_request_rows_dropped_total',
    help: 'Rows of the log of SCIM requests that were not written, by reason',
    labelNames: ['reason'],
    registers: [],
  });
  private readonly waiting: LoggedRequest[] = [];
  private bytes = 0;
  private readonly bytesOf = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<boolean> | undefined;

  constructor(
    private readonly repository: RequestsRepository,
    private readonly storage: TenantStorage,
    private readonly logger: Logger,
  ) {
    for (const reason of ['full', 'storage', 'refused'] satisfies Loss[]) this.dropped.inc({ reason }, 0);
  }

  register(registry: Registry): void {
    registry.registerMetric(this.dropped);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
  }

  /** Adds a row, unless the memory for rows is used up, or the log of the tenant is full. */
  note(row: LoggedRequest): void {
    const size = sizeOf(row);
    const own = (this.bytesOf.get(row.tenantId) ?? 0) + size;
    if (this.storage.isLogFull(row.tenantId)) return this.drop('storage');
    if (own > TENANT_BYTES || this.bytes + size > MOST_BYTES) return this.drop('full');
    this.waiting.push(row);
    this.bytes += size;
    this.bytesOf.set(row.tenantId, own);
    this.schedule(EVERY_MS);
  }

  async flush(): Promise<void> {
    this.running ??= this.write().finally(() => (this.running = undefined));
    const isWritten = await this.running;
    if (this.waiting.length > 0) this.schedule(isWritten ? EVERY_MS : AGAIN_MS);
  }

  private schedule(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, ms).unref();
  }

  /** Returns false where the database has failed: the rows wait for the next time. */
  private async write(): Promise<boolean> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH);
      try {
        await this.repository.add(batch);
      } catch (error) {
        if (!isOfValue(error)) return this.failed(error);
        for (const row of batch) {
          if (!(await this.writeAlone(row))) return false;
        }
      }
      this.waiting.splice(0, batch.length);
      for (const row of batch) {
        this.release(row);
        this.storage.addLogged(row.tenantId, STORED_BYTES + bytesIn(row));
      }
    }
    return true;
  }

  /** Writes a row of a refused batch, so that one row does not lose the others. */
  private async writeAlone(row: LoggedRequest): Promise<boolean> {
    try {
      await this.repository.add([row]);
    } catch (error) {
      if (codeOf(error) === WRITTEN) return true;
      this.failed(error);
      if (!isOfValue(error)) return false;
      this.drop('refused');
    }
    return true;
  }

  private failed(error: unknown): false {
    this.logger.warn('request_log.not_written', { error });
    return false;
  }

  private release(row: LoggedRequest): void {
    const size = sizeOf(row);
    this.bytes -= size;
    const left = this.bytesOf.get(row.tenantId)! - size;
    if (left > 0) this.bytesOf.set(row.tenantId, left);
    else this.bytesOf.delete(row.tenantId);
  }

  private drop(reason: Loss): void {
    this.dropped.inc({ reason });
  }
}

/** Returns whether the database refuses a value, and would refuse it again. */
function isOfValue(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error));
}

function sizeOf(row: LoggedRequest): number {
  return ROW_BYTES + bytesIn(row);
}

/** Returns the bytes of a kept body. A text has up to three bytes for each character. */
function bytesIn({ body, bodyBytes }: LoggedRequest): number {
  return body === null ? 0 : (bodyBytes ?? Buffer.byteLength(body));
}
