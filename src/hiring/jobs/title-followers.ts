import type { SqlRunner } from '../../base/database/database.js';

/** An opening with a new title. */
export interface RetitledOpening {
  /** What records call it: its `external_id` and its id. */
  names: readonly string[];
  title: string;
}

/** A port: gives the title of an opening to the records that show it. `candidates` implements it. */
export abstract class TitleFollowers {
  /** Adds the work of a new title, in the transaction that writes it. Long work becomes a task. */
  abstract titleChanged(tx: SqlRunner, tenantId: string, opening: RetitledOpening): Promise<void>;
}
