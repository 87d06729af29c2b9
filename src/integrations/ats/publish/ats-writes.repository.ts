import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { WriteStatement } from '../../../base/database/write-statement.js';
import { enqueueMessages } from '../../../engine/delivery/lanes/enqueue.js';
import type { AtsConnection } from '../connections/connection.js';
import type { WriteTarget } from '../connectors/connector.js';
import { ATS, GONE, type AtsWriteRow, type WriteKind, type WriteState } from './write.js';

export interface WriteFilter {
  state?: WriteState | undefined;
  candidateId?: string | undefined;
}

export interface WriteEnd {
  state: WriteState;
  reason?: string | null;
  detail?: string | null;
  remoteRef?: string | null;
}

const COLUMNS = `id, connection_id, candidate_id, interview_id, kind, action, revision, sequence, state, target, marker,
  remote_ref, attempts, attempted_at, written_at, reason, detail, created_at, updated_at`;

function enqueue(statement: WriteStatement, tenantId: string, connectionId: string): void {
  const messages = { part: { name: 'subject' }, id: 'm.id', record: 'm.candidate_id', at: 'm.created_at' };
  enqueueMessages(statement, { tenantId, channel: ATS }, [{ id: connectionId, ordered: true }], messages);
}

interface RemoteCandidate {
  remoteId: string;
  /** The application in the metadata, or null. */
  applicationId: string | null;
}

const MOST_MERGES = 8;

/** Reads and changes writes to ATSs, and finds candidates in the ATS of their connection. */
@Injectable()
export class AtsWritesRepository {
  constructor(private readonly db: Database) {}

  /** Adds a write with its place in the lane of the candidate, whose row is locked. */
  async add(
    tx: SqlRunner,
    tenantId: string,
    row: Pick<
      AtsWriteRow,
      'id' | 'connection_id' | 'candidate_id' | 'interview_id' | 'kind' | 'action' | 'revision' | 'marker'
    >,
  ): Promise<void> {
    const { id, connection_id, candidate_id, interview_id, kind, action, revision, marker } = row;
    const statement = new WriteStatement().subject((p) => {
      const texts = [tenantId, id, connection_id, candidate_id, interview_id, kind, action, marker];
      return `insert into ats_writes (tenant_id, id, connection_id, candidate_id, interview_id, kind, action, marker,
          revision, state)
        values (${texts.map((value) => p.add(value)).join(', ')}, ${p.add(revision)}, 'waiting')
        returning id, candidate_id, sequence, created_at`;
    });
    enqueue(statement, tenantId, connection_id);
    await statement.run(tx);
  }

  /** Puts an ended write at the end of the candidate's lane. The candidate is locked. */
  async again(tx: SqlRunner, tenantId: string, { id, connection_id }: AtsWriteRow): Promise<void> {
    const statement = new WriteStatement().subject(
      (
        p,
      ) => `update ats_writes set state = 'waiting', reason = null, detail = null, sequence = nextval('change_sequence'), updated_at = now()
        where tenant_id = ${p.add(tenantId)} and id = ${p.add(id)}
        returning id, candidate_id, sequence, now() as created_at`,
    );
    enqueue(statement, tenantId, connection_id);
    await statement.run(tx);
  }

  /** Waiting writes follow the survivor's own; so do those that failed because the ATS no longer had the candidate. */
  async move(tx: SqlRunner, tenantId: string, from: string, into: string): Promise<void> {
    const { rows } = await tx.query<AtsWriteRow>(
      `update ats_writes set candidate_id = $3, updated_at = now() where tenant_id = $1 and candidate_id = $2
       returning ${COLUMNS}`,
      [tenantId, from, into],
    );
    const waiting = rows.filter(({ state, reason }) => state === 'waiting' || (state === 'failed' && reason === GONE));
    waiting.sort((a, b) => Number(BigInt(a.sequence) - BigInt(b.sequence)));
    for (const row of waiting) await this.again(tx, tenantId, row);
  }

  /** Removes the waiting writes of an erased candidate; of the others only ids stay. */
  async erase(tx: SqlRunner, tenantId: string, candidateId: string): Promise<void> {
    await tx.query(`delete from ats_writes where tenant_id = $1 and candidate_id = $2 and state = 'waiting'`, [
      tenantId,
      candidateId,
    ]);
    await tx.query(
      `update ats_writes set remote_ref = null, detail = null, reason = case when state = 'dismissed' then null else reason end
       where tenant_id = $1 and candidate_id = $2`,
      [tenantId, candidateId],
    );
  }

  /** Ends the waiting revisions before this one that the ATS cannot have. @returns how many */
  async supersede(
    tx: SqlRunner,
    tenantId: string,
    of: { connectionId: string; interviewId: string; kind: WriteKind; before: number; reason: string },
  ): Promise<number> {
    const { rowCount } = await tx.query(
      `update ats_writes set state = 'superseded', reason = $6, updated_at = now()
       where tenant_id = $1 and connection_id = $2 and interview_id = $3 and kind = $4 and revision < $5
         and state = 'waiting' and attempted_at is null`,
      [tenantId, of.connectionId, of.interviewId, of.kind, of.before, of.reason],
    );
    return rowCount ?? 0;
  }

  async revisions(
    tenantId: string,
    of: { connectionId: string; interviewId: string; kind: WriteKind },
    db: SqlRunner = this.db,
  ): Promise<AtsWriteRow[]> {
    const { rows } = await db.query<AtsWriteRow>(
      `select ${COLUMNS} from ats_writes
       where tenant_id = $1 and connection_id = $2 and interview_id = $3 and kind = $4 order by revision desc limit 200`,
      [tenantId, of.connectionId, of.interviewId, of.kind],
    );
    return rows;
  }

  async next(tenantId: string, connectionId: string, candidateId: string): Promise<AtsWriteRow | undefined> {
    const { rows } = await this.db.query<AtsWriteRow>(
      `select ${COLUMNS} from ats_writes
       where tenant_id = $1 and connection_id = $2 and candidate_id = $3 and state = 'waiting' order by sequence limit 1`,
      [tenantId, connectionId, candidateId],
    );
    return rows[0];
  }

  async one(
    tenantId: string,
    connectionId: string,
    id: string,
    db: SqlRunner = this.db,
    lock = false,
  ): Promise<AtsWriteRow | undefined> {
    const { rows } = await db.query<AtsWriteRow>(
      `select ${COLUMNS} from ats_writes
       where tenant_id = $1 and connection_id = $2 and id = $3${lock ? ' for update' : ''}`,
      [tenantId, connectionId, id],
    );
    return rows[0];
  }

  async list(
    tenantId: string,
    connectionId: string,
    { state, candidateId }: WriteFilter,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<AtsWriteRow[]> {
    const values: unknown[] = [tenantId, connectionId];
    const add = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [
      ...(after === null ? [] : [`id < ${add(after)}`]),
      ...(state === undefined ? [] : [`state = ${add(state)}`]),
      ...(candidateId === undefined ? [] : [`candidate_id = ${add(candidateId)}`]),
    ];
    const where = ['tenant_id = $1', 'connection_id = $2', ...conditions].join(' and ');
    const text = `select ${COLUMNS} from ats_writes where ${where} order by id desc limit ${limit + 1}`;
    const both = state !== undefined && candidateId !== undefined;
    const { rows } = await (both
      ? this.db.search<AtsWriteRow>(text, values)
      : this.db.shaped<AtsWriteRow>(text, values));
    return rows;
  }

  /** Returns writes about a candidate, of all connections, newest first. @param before only older ids */
  async ofCandidate(tenantId: string, candidateId: string, before: string, limit: number): Promise<AtsWriteRow[]> {
    const { rows } = await this.db.query<AtsWriteRow>(
      `select ${COLUMNS} from ats_writes where tenant_id = $1 and candidate_id = $2 and id < $3
       order by id desc limit $4`,
      [tenantId, candidateId, before, limit],
    );
    return rows;
  }

  /**
   * Notes that a call which may take effect begins now. The commit comes before the call, so that the next try after a
   * crash looks for the effect first.
   *
   * @param holdMs no other process begins a call for this time, in which the call ends
   * @returns false where another process has begun one since the write was read, or it ended
   */
  async begin(tenantId: string, { id, attempts }: AtsWriteRow, target: WriteTarget, holdMs: number): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update ats_writes set attempts = attempts + 1, attempted_at = coalesce(attempted_at, now()), target = $4,
         busy_until = now() + $5 * interval '1 millisecond', updated_at = now()
       where tenant_id = $1 and id = $2 and attempts = $3 and state = 'waiting'
         and (busy_until is null or busy_until <= now())`,
      [tenantId, id, attempts, target, holdMs],
    );
    return rowCount === 1;
  }

  /** Keeps the id from the ATS until it is read back: from now on the write is not repeated. */
  async keepRef(tenantId: string, id: string, remoteRef: string): Promise<void> {
    await this.db.query(
      `update ats_writes set remote_ref = $3, busy_until = null, updated_at = now() where tenant_id = $1 and id = $2`,
      [tenantId, id, remoteRef],
    );
  }

  /** Notes that the call of `begin` is over, without a later effect. */
  async release(tenantId: string, id: string): Promise<void> {
    await this.db.query(`update ats_writes set busy_until = null where tenant_id = $1 and id = $2`, [tenantId, id]);
  }

  /** Notes the result of a try. A write that was dismissed or superseded since is shown as written if it was. */
  async end(tenantId: string, id: string, { state, reason, detail, remoteRef }: WriteEnd): Promise<void> {
    await this.db.query(
      `update ats_writes set state = case when state = 'waiting' or $3 = 'written' then $3 else state end,
         reason = $4, detail = $5, remote_ref = coalesce($6, remote_ref), busy_until = null,
         written_at = case when $3 = 'written' then now() else written_at end, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [tenantId, id, state, reason ?? null, detail ?? null, remoteRef ?? null],
    );
  }

  async dismiss(tx: SqlRunner, tenantId: string, id: string, reason: string): Promise<void> {
    await tx.query(
      `update ats_writes set state = 'dismissed', reason = $3, detail = null, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [tenantId, id, reason],
    );
  }

  async leaveAll(tx: SqlRunner, tenantId: string, connectionId: string, reason: string): Promise<number> {
    const { rowCount } = await tx.query(
      `update ats_writes set state = 'left', reason = $3, updated_at = now()
       where tenant_id = $1 and connection_id = $2 and state = 'waiting'`,
      [tenantId, connectionId, reason],
    );
    return rowCount ?? 0;
  }

  /** Returns the connection that a candidate came through; null when the API owns the candidate. */
  async connectionOfCandidate(tx: SqlRunner, tenantId: string, candidateId: string): Promise<string | null> {
    const { rows } = await tx.query<{ id: string | null }>(
      `select ats_connection_id as id from candidates where tenant_id = $1 and id = $2`,
      [tenantId, candidateId],
    );
    return rows[0]?.id ?? null;
  }

  /** Returns a connection's candidate with its id in the ATS, or null. */
  async findWritten({ tenantId, id, marker }: AtsConnection, candidateId: string): Promise<RemoteCandidate | null> {
    const { rows } = await this.db.query<{ external_id: string; metadata: string; connection: string | null }>(
      `select external_id, metadata::text as metadata, ats_connection_id as connection
       from candidates where tenant_id = $1 and id = $2`,
      [tenantId, candidateId],
    );
    const [row] = rows;
    if (row === undefined || row.connection !== id || !row.external_id.startsWith(marker)) return null;
    return { remoteId: row.external_id.slice(marker.length), applicationId: applicationIn(row.metadata) };
  }

  /** Returns the record in the ATS that another was merged into; null when unknown. */
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
