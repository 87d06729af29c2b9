import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { CONNECTION_COLUMNS, type ConnectionRow } from './connections.repository.js';

/** The least pause between two readings, and how long four of them count. Any caller can send a wrong signature. */
const PAUSE_MS = 60_000;
const WINDOW_MS = 10 * 60_000;
/** A reading that has not ended after this time was given up with its process. It takes at most ten seconds. */
const LEASE_MS = 15_000;

/** SQL of the readings of metadata that unknown signatures cause. All processes share them. */
@Injectable()
export class MetadataDoubtsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Takes the right to read the metadata of a connection. One of several processes gets it.
   *
   * @returns the connection; null when the last reading began less than a minute ago, or the fourth last one less than ten
   */
  async take(tenantId: string, id: string, now: Date): Promise<ConnectionRow | null> {
    const { rows } = await this.db.query<ConnectionRow>(
      `update connections set doubted_at = $3, doubt_ended_at = null, earlier_doubts = (array_prepend(doubted_at, earlier_doubts))[1:3]
       where tenant_id = $1 and id = $2 and deleted_at is null and (doubted_at is null or doubted_at <= $4)
         and (earlier_doubts[3] is null or earlier_doubts[3] <= $5)
       returning ${CONNECTION_COLUMNS}`,
      [tenantId, id, now, new Date(now.getTime() - PAUSE_MS), new Date(now.getTime() - WINDOW_MS)],
    );
    return rows[0] ?? null;
  }

  /** Notes that the reading has ended which began at a time. */
  async end(tenantId: string, id: string, began: Date): Promise<void> {
    await this.db.query(
      `update connections set doubt_ended_at = now()
       where tenant_id = $1 and id = $2 and doubted_at = $3`,
      [tenantId, id, began],
    );
  }

  /** Whether a reading is under way, in this process or in another one. */
  async isUnderWay(tenantId: string, id: string, now: Date): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `select 1 from connections where tenant_id = $1 and id = $2 and deleted_at is null and doubted_at > $3
         and doubt_ended_at is null`,
      [tenantId, id, new Date(now.getTime() - LEASE_MS)],
    );
    return rowCount === 1;
  }
}
