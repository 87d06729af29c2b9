import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';

/** The generation of the database: it increases while users change. */
export interface Generation {
  readonly id: string;
  readonly generation: number;
}

/** Statements on the one row of the installation. */
@Injectable()
export class InstallationRepository {
  constructor(private readonly db: Database) {}

  /** Begins a new generation if users changed since the last one, over all processes; returns the current one. */
  async advance(): Promise<Generation> {
    const { rows } = await this.db.query<Generation>(
      `with here as (select pg_sequence_last_value('change_sequence') as sequence),
         moved as (
           update installation i set generation = i.generation + 1, last_sequence = here.sequence
           from here where i.last_sequence < here.sequence returning i.id, i.generation)
       select id, generation::float8 as generation from (
         select id, generation from moved union all
         select id, generation from installation where not exists (select 1 from moved)) present`,
    );
    return rows[0]!;
  }

  /** Returns the current generation, locked to the end of the transaction. */
  async lock(tx: SqlRunner): Promise<Generation> {
    const { rows } = await tx.query<Generation>(
      `select id, generation::float8 as generation from installation for update`,
    );
    return rows[0]!;
  }

  /**
   * Sets a generation after one that was reached before the restore, so that no other process finds the restore again.
   */
  async goOnBehind(tx: SqlRunner, generation: number): Promise<void> {
    await tx.query(`update installation set generation = $1::bigint + 1, restored_at = now()`, [generation]);
  }
}
