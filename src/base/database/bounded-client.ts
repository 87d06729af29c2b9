import pg from 'pg';
import { SHAPED } from './statement-names.js';

/**
 * The most prepared statements of a connection. A backend holds up to 300 kB for each while the connection lives. Callers
 * choose how many shapes their texts have, so that those have a bound of their own.
 */
export const MAX_PREPARED = { own: 256, shaped: 16 };

/** The parts of a connection that node-postgres does not declare. */
interface ProtocolConnection {
  parsedStatements: Record<string, string>;
  close(statement: { type: 'S'; name: string }): void;
}

/**
 * A connection that keeps the most recently used prepared statements and closes the others. The protocol message
 * `Close` is sent with the next query: it costs no round trip, and works in a failed transaction too.
 *
 * A server that ends the connection while no statement runs is reported by an event, which ends the process where nothing
 * listens. The next statement fails and reports the end, so the event alone needs no answer.
 */
export class BoundedClient extends pg.Client {
  /** Whether the connection keeps the process alive. node-postgres has both and does not declare them. */
  declare readonly ref: () => void;
  declare readonly unref: () => void;
  /** Names in the order of their last use. */
  private readonly prepared = { own: new Set<string>(), shaped: new Set<string>() };

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // From the first moment on: the end can arrive in the same packet as the start, before the pool has given it out.
    this.on('error', () => undefined);
    // node-postgres declares `query` by overloads, which an overriding method would have to repeat.
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      const name = (args[0] as { name?: unknown } | null)?.name;
      if (typeof name === 'string') this.keep(name);
      return query(...args);
    }) as typeof this.query;
  }

  private keep(name: string): void {
    const kind = name.startsWith(SHAPED) ? 'shaped' : 'own';
    const names = this.prepared[kind];
    names.delete(name);
    names.add(name);
    if (names.size <= MAX_PREPARED[kind]) return;
    const [oldest] = names;
    names.delete(oldest!);
    const { connection } = this as unknown as { connection: ProtocolConnection };
    delete connection.parsedStatements[oldest!];
    connection.close({ type: 'S', name: oldest! });
  }
}
