import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { AtsConnection } from '../connections/connection.js';

/** A candidate as its ATS knows it. */
export interface RemoteCandidate {
  remoteId: string;
  /** The application that the metadata names; null: none. */
  applicationId: string | null;
}

/** Merges of merges are followed so far. */
const MOST_MERGES = 8;

/** Finds candidates in the ATS of their connection. */
@Injectable()
export class WrittenCandidates {
  constructor(private readonly db: Database) {}

  /** Returns the connection that a candidate came through; null: none, or it is the API's. */
  async connectionOf(tx: SqlRunner, tenantId: string, candidateId: string): Promise<string | null> {
    const { rows } = await tx.query<{ id: string | null }>(
      `select ats_connection_id as id from candidates where tenant_id = $1 and id = $2`,
      [tenantId, candidateId],
    );
    return rows[0]?.id ?? null;
  }

  /** Returns a candidate of a connection as its ATS knows it; null: the candidate is gone, or is not the connection's. */
  async find({ tenantId, id, marker }: AtsConnection, candidateId: string): Promise<RemoteCandidate | null> {
    const { rows } = await this.db.query<{ external_id: string; metadata: string; connection: string | null }>(
      `select external_id, metadata::text as metadata, ats_connection_id as connection
       from candidates where tenant_id = $1 and id = $2`,
      [tenantId, candidateId],
    );
    const [row] = rows;
    if (row === undefined || row.connection !== id || !row.external_id.startsWith(marker)) return null;
    return { remoteId: row.external_id.slice(marker.length), applicationId: applicationIn(row.metadata) };
  }

  /** Returns the id of the record that one was merged into in the ATS, as far as that is known; null: it is not. */
  async survivorOf({ tenantId, id }: AtsConnection, remoteId: string): Promise<string | null> {
    let found: string | null = null;
    for (let step = 0, at = remoteId; step < MOST_MERGES; step++) {
      const { rows } = await this.db.query<{ survivor_id: string | null }>(
        `select survivor_id from ats_records
         where tenant_id = $1 and connection_id = $2 and kind = 'candidate' and remote_id = $3`,
        [tenantId, id, at],
      );
      const next = rows[0]?.survivor_id ?? null;
      if (next === null) return found;
      found = next;
      at = next;
    }
    return found;
  }
}

/** The text is the caller's own, and can repeat members or hold anything; the last one counts, as for every reader. */
function applicationIn(metadata: string): string | null {
  const { application_id: id } = JSON.parse(metadata) as Record<string, unknown>;
  return typeof id === 'string' && id !== '' ? id : null;
}
