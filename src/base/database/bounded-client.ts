import pg from 'pg';

/**
 * The most prepared statements of a connection. A backend holds up to 200 kB for each while the connection lives. The
 * service has fewer texts that it repeats.
 */
export const MAX_PREPARED = 256;

/** The parts of a connection that node-postgres does not declare. */
interface ProtocolConnection {
  parsedStatements: Record<string, string>;
  close(statement: { type: 'S'; name: string }): void;
}

/**
 * A connection that keeps the most recently used prepared statements and closes the others. The protocol message
 * `Close` is sent with the next query: it costs no round trip, and works in a failed transaction too.
 *
 * A server that ends the connection while no statement runs is told by an event, which ends the process where nothing
 * listens. The next statement fails and reports the end, so the event alone needs no answer.
 */
export class BoundedClient extends pg.Client {
  /** Whether the connection keeps the process alive. node-postgres has both and does not declare them. */
  declare readonly ref: () => void;
  declare readonly unref: () => void;
  /** Names in the order of their last use. */
  private readonly prepared = new Set<string>();

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
    this.prepared.delete(name);
    this.prepared.add(name);
    if (this.prepared.size <= MAX_PREPARED) return;
    const [oldest] = this.prepared;
    this.prepared.delete(oldest!);
    const { connection } = this as unknown as { connection: ProtocolConnection };
    delete connection.parsedStatements[oldest!];
    connection.close({ type: 'S', name: oldest! });
  }
}
