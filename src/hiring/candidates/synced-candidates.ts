import { Injectable } from '@nestjs/common';
import { codeOf } from '../../base/database/database.errors.js';
import type { SqlRunner } from '../../base/database/database.js';
import { textArray } from '../../base/database/params.js';
import { newId } from '../../base/ids.js';
import { EventRecorder, type RecordedFact } from '../../engine/events/event-recorder.js';
import { holdTitles, titlesOf } from '../jobs/jobs.repository.js';
import type { CandidateRow } from './candidate.js';
import {
  BETWEEN_KEYS,
  namesOf,
  SYNCED,
  WRITTEN,
  candidateEmailKey,
  writtenFact,
  CANDIDATE_COLUMNS,
} from './candidate.mapping.js';
import { titled, isUnchanged, syncedEdit, type SyncedCandidate } from './candidate.rules.js';

const CHANGED = [...WRITTEN, ...SYNCED];
const SET = CHANGED.map(({ name }) =>
  name === 'ats_keys' ? `ats_keys = string_to_array(u.ats_keys, E'\\x1f')` : `${name} = u.${name}`,
).join(', ');

// What all new candidates of a batch share is one parameter: reading arrays cost as much as writing rows. Their
// lists of keys are few, and named by their place; their metadata are one text, since an array would escape each quote.
// Another candidate with the `external_id` fails the statement: a row that may give way to another one is written
// twice. Lists beside each other in a select are read as they are needed; in `from` each would be copied first.
const INSERT = `
  insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title, job_title_set,
    metadata, job_opening_id, ats_priority, ats_connection_id, ats_keys, stage, ats_status, sequence, created_at,
    updated_at)
  select $1, u.id, u.external_id, u.email, coalesce(u.email_key, u.email), u.first_name, u.last_name, u.job_title, false,
    u.metadata, u.job_opening_id, u.ats_priority, $2, string_to_array(($3::text[])[u.keys], E'\\x1f'), u.stage, u.ats_status, 1, $4, $4
  from (
    select unnest($5::text[]) as id, unnest($6::text[]) as external_id, unnest($7::text[]) as email,
      unnest($8::text[]) as email_key, unnest($9::text[]) as first_name, unnest($10::text[]) as last_name,
      unnest($11::text[]) as job_title, json_array_elements($12::json) as metadata, unnest($13::text[]) as job_opening_id,
      unnest($14::text[]) as ats_priority, unnest($15::int[]) as keys, unnest($16::text[]) as stage,
      unnest($17::text[]) as ats_status) u`;

const UPDATE = `
  update candidates c set ${SET}
  from unnest($2::text[], ${CHANGED.map(({ type }, place) => `$${place + 3}::${type}[]`).join(', ')})
    as u(id, ${namesOf(CHANGED)})
  where c.tenant_id = $1 and c.id = u.id and c.sequence = u.sequence - 1 returning c.id`;

/** Adds many new candidates of one connection. @throws `unique_violation` for an `external_id` */
async function insertCandidates(tx: SqlRunner, tenantId: string, rows: readonly CandidateRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const of = <T>(pick: (row: CandidateRow) => T): T[] => rows.map(pick);
  const places = new Map<string, number>();
  const placeOf = (keys: string): number => {
    const place = places.get(keys) ?? places.size + 1;
    places.set(keys, place);
    return place;
  };
  const keys = of((row) => placeOf(row.ats_keys?.join(BETWEEN_KEYS) ?? ''));
  const texts = (pick: (row: CandidateRow) => string | null) => textArray(of(pick));
  await tx.query(INSERT, [
    tenantId,
    first.ats_connection_id,
    [...places.keys()],
    first.created_at,
    texts(({ id }) => id),
    texts((row) => row.external_id),
    texts(({ email }) => email),
    texts(({ email }) => keyBeside(email)),
    texts((row) => row.first_name),
    texts((row) => row.last_name),
    texts((row) => row.job_title),
    `[${of(({ metadata }) => metadata).join(',')}]`,
    texts((row) => row.job_opening_id),
    texts((row) => row.ats_priority),
    `{${keys.join(',')}}`,
    texts(({ stage }) => stage),
    texts((row) => row.ats_status),
  ]);
}

/** Returns the key of an e-mail; null when the key is the e-mail. */
function keyBeside(email: string): string | null {
  const key = candidateEmailKey(email);
  return key === email ? null : key;
}

/** Changes many candidates in one statement, each from its last sequence to the next one. @returns how many */
async function updateCandidates(tx: SqlRunner, tenantId: string, rows: readonly CandidateRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const values = CHANGED.map(({ valueOf }) => rows.map(valueOf));
  return (await tx.query(UPDATE, [tenantId, rows.map(({ id }) => id), ...values])).rowCount ?? 0;
}

/** The result for a candidate that an ATS brought. */
export interface SyncedResult {
  externalId: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'refused';
  id: string | null;
  reason: string | null;
}

/**
 * Which events are recorded. `backfill`: those of new candidates are marked. `updates`: new candidates have none.
 * `none`: a first import has no events about single records.
 */
export type SyncedEvents = 'all' | 'backfill' | 'updates' | 'none';

/** Another write made a candidate with the same `external_id` at this moment: the transaction is repeated. */
class SyncRaced extends Error {
  /** `serialization_failure`: `Database.transaction` repeats the work. */
  readonly code = '40001';
}

/** `unique_violation` */
const NOT_UNIQUE = '23505';

interface SyncedPlan {
  readonly results: readonly SyncedResult[];
  readonly created: readonly CandidateRow[];
  readonly updated: readonly CandidateRow[];
}

/** Candidates that a transaction holds, by their `external_id`. */
export type HeldCandidates = ReadonlyMap<string, CandidateRow>;

/** Writes candidates of ATSs: many in few statements, by the rules of a single write. */
@Injectable()
export class SyncedCandidates {
  constructor(private readonly events: EventRecorder) {}

  /**
   * Locks candidates and the titles of openings, in the one order of all writes: titles, then candidates by id. Other
   * locks of the transaction come afterwards.
   */
  async hold(
    tx: SqlRunner,
    tenantId: string,
    { externalIds, openings }: { externalIds: readonly string[]; openings: readonly string[] },
  ): Promise<HeldCandidates> {
    await holdTitles(tx, tenantId, openings);
    const { rows } = await tx.query<CandidateRow>(
      // One look-up for each: the planner takes a young table for small, and would read all candidates for `= any`.
      `select r.* from (
         select n.id from unnest($2::text[]) as u(name) cross join lateral (
           select c.id from candidates c where c.tenant_id = $1 and c.external_id = u.name limit 1) n
         order by n.id) k
       cross join lateral (
         select ${CANDIDATE_COLUMNS} from candidates where tenant_id = $1 and id = k.id for update) r`,
      [tenantId, textArray(externalIds)],
    );
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  async plan(
    tx: SqlRunner,
    tenantId: string,
    held: HeldCandidates,
    synced: readonly SyncedCandidate[],
  ): Promise<SyncedPlan> {
    const at = new Date();
    const edits = synced.map((one) => ({
      externalId: one.externalId,
      before: held.get(one.externalId),
      edit: syncedEdit(held.get(one.externalId), one, { id: newId('cand'), at }),
    }));
    const names = edits.map(({ edit }) => (typeof edit === 'string' ? null : edit.titleFrom));
    const titles = await titlesOf(
      tx,
      tenantId,
      names.filter((name) => name !== null),
    );
    const created: CandidateRow[] = [];
    const updated: CandidateRow[] = [];
    const results = edits.map(({ externalId, before, edit }): SyncedResult => {
      if (typeof edit === 'string') return { externalId, outcome: 'refused', id: null, reason: edit };
      const after = titled(edit, titles.get(edit.titleFrom ?? '') ?? null);
      const { id } = after;
      if (isUnchanged(before, after)) return { externalId, outcome: 'unchanged', id, reason: null };
      (before === undefined ? created : updated).push(after);
      return { externalId, outcome: before === undefined ? 'created' : 'updated', id, reason: null };
    });
    return { results, created, updated };
  }

  /** Writes the plan. @throws {SyncRaced} when another write was in between */
  async write(tx: SqlRunner, tenantId: string, { created, updated }: SyncedPlan, events: SyncedEvents): Promise<void> {
    const inserting = insertCandidates(tx, tenantId, created).catch(raced);
    inserting.catch(() => undefined); // Its failure is met below.
    // Made while the database is at work.
    const facts = factsOf(created, updated, events);
    await inserting;
    const written = await updateCandidates(tx, tenantId, updated);
    if (written < updated.length) throw new SyncRaced('a candidate was written by others meanwhile');
    await this.events.record(tx, tenantId, facts);
  }

  /** Keeps the id of a candidate that was merged before it came in. @param into null while the survivor is unknown */
  async keepMerged(tx: SqlRunner, tenantId: string, externalId: string, into: string | null): Promise<void> {
    await tx.query(
      `insert into candidate_tombstones (tenant_id, candidate_id, external_id, merged_into, sequence, gone_at)
       values ($1, $2, $3, $4, 1, now())`,
      [tenantId, newId('cand'), externalId, into],
    );
  }

  /** Lets `resolve` return a candidate for those that were merged into it before it was known. */
  async linkMerged(tx: SqlRunner, tenantId: string, externalIds: readonly string[], id: string): Promise<void> {
    await tx.query(
      `update candidate_tombstones set merged_into = $3
       where tenant_id = $1 and external_id = any($2::text[]) and merged_into is null`,
      [tenantId, externalIds, id],
    );
  }

  wake(tenantId: string): void {
    this.events.wake(tenantId);
  }

  /**
   * Gives candidates of a removed connection to the API, a batch at a time.
   *
   * @param after the candidate before the first one of the batch
   * @returns how many are the API's now, and the last one of the batch; null after the last batch
   */
  async release(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    { after, limit }: { after: string; limit: number },
  ): Promise<{ released: number; last: string | null }> {
    const { rows } = await db.query<{ released: number; last: string | null; seen: number }>(
      `with page as materialized (
         select id, ats_connection_id from candidates where tenant_id = $1 and id > $3 order by id limit $4),
       freed as (
         update candidates set ats_connection_id = null, ats_keys = null, stage = null, ats_status = null
         where tenant_id = $1 and id = any(array(select p.id from page p where p.ats_connection_id = $2)) returning 1)
       select (select count(*)::int from freed) as released, max(id) as last, count(*)::int as seen from page`,
      [tenantId, connectionId, after, limit],
    );
    const { released, last, seen } = rows[0]!;
    return { released, last: seen < limit ? null : last };
  }
}

function raced(error: unknown): never {
  if (codeOf(error) === NOT_UNIQUE) throw new SyncRaced('a candidate was created by others meanwhile');
  throw error;
}

function factsOf(
  created: readonly CandidateRow[],
  updated: readonly CandidateRow[],
  events: SyncedEvents,
): RecordedFact[] {
  if (events === 'none') return [];
  const told = events === 'updates' ? [] : created;
  return [
    ...told.map((row) => writtenFact('candidate.created', row, { backfill: events === 'backfill' })),
    ...updated.map((row) => writtenFact('candidate.updated', row)),
  ];
}
