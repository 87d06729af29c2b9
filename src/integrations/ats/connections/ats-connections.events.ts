import type { AtsConnection } from './connection.js';

/** A connection can be used (again): it has another credential, another writer, or is not paused any more. */
export class AtsConnectionReady {
  constructor(readonly connection: AtsConnection) {}
}
