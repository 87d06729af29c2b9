import type { QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import type { SqlRunner } from './database.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';

interface Asked {
  values: readonly unknown[];
  id: string;
}

/** Reads of single rows by their ids: those of concurrent requests go together. Each sees what was there when it came. */
export class KeyedReads<R extends QueryResultRow & { id: string }> {
  private readonly gatherer: Gatherer<Asked, R | undefined>;

  /**
   * @param text a statement for rows with `id`; its first parameter is the tenant, its last one is compared with ids:
   *   `id = any($2)`
   */
  constructor(
    private readonly db: SqlRunner,
    private readonly text: string,
  ) {
    this.gatherer = new Gatherer<Asked, R | undefined>({
      alone: async (one) => (await this.rows([one]))[0],
      together: async (all) => {
        const rows = new Map((await this.rows(all)).map((row) => [row.id, row]));
        return all.map(({ id }) => rows.get(id));
      },
      keyOf: ({ id }) => id,
      busy: tooManyGathered,
    });
  }

  /**
   * Returns the row with an id, or undefined.
   *
   * @param values those of the other parameters; reads with the same ones may go together
   */
  read(values: readonly unknown[], id: string): Promise<R | undefined> {
    return this.gatherer.run(JSON.stringify(values), { values, id });
  }

  private async rows(all: readonly Asked[]): Promise<R[]> {
    try {
      return (await this.db.query<R>(this.text, [...all[0]!.values, all.map(({ id }) => id)])).rows;
    } catch (error) {
      // An id that no text of the database can be fails by itself.
      if (all.length > 1 && isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
  }
}
