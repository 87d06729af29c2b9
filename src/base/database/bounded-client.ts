import pg from 'pg';

/**
 * Prepared statements that one connection keeps. A backend holds up to 200 kB for each, for as long as the connection
 * lives; the texts that the service repeats all day are fewer than this.
 */
export const MAX_PREPARED = 256;

/** What of a connection is used here and has no type of its own in node-postgres. */
interface ProtocolConnection {
  parsedStatements: Record<string, string>;
  close(statement: { type: 'S'; name: string }): void;
}

/**
 * A connection that keeps the most recently used prepared statements and closes the others. The message `Close` of the
 * protocol travels with the next query: it costs no round trip, and it works in a failed transaction, too.
 */
export class BoundedClient extends pg.Client {
  /** Names in the order of their last use. */
  private readonly prepared = new Set<string>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // node-postgres declares `query` as a list of overloads, all of which an overriding method would have to repeat.
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
