import type { QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import type { Database } from './database.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';

interface Asked {
  values: readonly unknown[];
  key: string;
}

/** Reads of a few rows by a key: those of concurrent requests go together. Each sees what was there when it came. */
export class KeyedReads<R extends QueryResultRow> {
  private readonly gatherer: Gatherer<Asked, R[]>;

  /**
   * @param text a statement for the rows of keys; its first parameter is the tenant, its last one is the array of keys:
   *   `id = any($2)`
   * @param keyOf the key of a row that the statement found
   */
  constructor(
    private readonly db: Pick<Database, 'query'>,
    private readonly text: string,
    private readonly keyOf: (row: R) => string,
  ) {
    this.gatherer = new Gatherer<Asked, R[]>({
      alone: (one) => this.rows([one]),
      together: async (all) => {
        const found = new Map<string, R[]>(all.map(({ key }) => [key, []]));
        for (const row of await this.rows(all)) found.get(this.keyOf(row))!.push(row);
        return all.map(({ key }) => found.get(key)!);
      },
      keyOf: ({ key }) => key,
      busy: tooManyGathered,
    });
  }

  /**
   * Returns the rows of a key.
   *
   * @param values those of the other parameters; reads with the same ones may go together
   */
  read(values: readonly unknown[], key: string): Promise<R[]> {
    return this.gatherer.run(JSON.stringify(values), { values, key });
  }

  private async rows(all: readonly Asked[]): Promise<R[]> {
    try {
      return (await this.db.query<R>(this.text, [...all[0]!.values, all.map(({ key }) => key)])).rows;
    } catch (error) {
      // A key that no text of the database can be fails alone.
      if (all.length > 1 && isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
  }
}
