import type { SqlRunner } from '../../base/database/database.js';
import type { DayFields, HeadSignature } from './head.rules.js';

/** A day of a chain is over, and its head is signed. Part of the transaction that adds the head. */
export class DayClosed {
  constructor(
    readonly tx: SqlRunner,
    readonly day: DayFields,
    /** The text that is signed. */
    readonly signed: string,
    readonly signature: HeadSignature,
  ) {}
}
