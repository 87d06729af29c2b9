import { Semaphore } from './semaphore.js';

const SIZE = 4;

/**
 * Bounds what background work of tenants writes at once in a process, so that requests find connections to the database.
 * A slot is held for a write, never for a call to another server.
 */
export class WorkSlots extends Semaphore {
  constructor() {
    super(SIZE);
  }
}
