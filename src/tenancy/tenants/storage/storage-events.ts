import type { SqlRunner } from '../../../base/database/database.js';

/** Tells that the storage of a tenant is nearly or wholly used. The room of the events implements it. */
export abstract class StorageEventRecorder {
  /**
   * Records an event in a transaction.
   *
   * @param data the limit and what is used, in bytes
   */
  abstract record(
    tx: SqlRunner,
    tenantId: string,
    event: 'storage.approaching' | 'storage.exhausted',
    data: { limit_bytes: number; used_bytes: number },
  ): Promise<void>;
}
