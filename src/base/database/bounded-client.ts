import { createHash } from 'node:crypto';
import pg from 'pg';

/** Constant texts are about 300; a text beyond this number is not prepared. */
export const MAX_OWN = 1000;
/** Texts of callers that are prepared at the same time. */
export const MAX_SHAPES = 32;
/** The first letter of the names of such texts. */
export const SHAPED = 'w';
/** A text of a caller is prepared when it is used for the third time. */
const SIGHTINGS = 3;
const CANDIDATES = 1000;

// One name for each text, so that the server plans each shape once for each connection.
const names = new Map<string, string>();
// The least recently used one first.
const shapes = new Map<string, string>();
const seen = new Map<string, number>();

/** Returns the name under which a constant text is prepared on each connection; undefined beyond the maximum. */
export function statementName(text: string): string | undefined {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= MAX_OWN) return undefined;
    name = 's' + nameOf(text);
    names.set(text, name);
  }
  return name;
}

/**
 * Returns the name of a text whose shape depends on the caller; undefined for a text that is planned each time. Of the texts
 * that are used three times, the 32 most recently used are prepared. Frequent statements stay cheap, and a caller with many
 * shapes displaces others for a moment only.
 */
export function shapedStatementName(text: string): string | undefined {
  const name = shapes.get(text);
  if (name !== undefined) {
    shapes.delete(text);
    shapes.set(text, name);
    return name;
  }
  const key = SHAPED + nameOf(text);
  const times = (seen.get(key) ?? 0) + 1;
  if (times < SIGHTINGS) {
    if (seen.size >= CANDIDATES) seen.clear();
    seen.set(key, times);
    return undefined;
  }
  seen.delete(key);
  if (shapes.size >= MAX_SHAPES) shapes.delete(shapes.keys().next().value!);
  shapes.set(text, key);
  return key;
}

export function statementCounts(): { own: number; shaped: number } {
  return { own: names.size, shaped: shapes.size };
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/**
 * The most prepared statements of a connection. A backend holds up to 300 kB for each while the connection lives. Callers
 * choose how many shapes their texts have, so that those have a bound of their own.
 */
export const MAX_PREPARED = { own: 256, shaped: 16 };

/** node-postgres does not declare these. */
interface ProtocolConnection {
  parsedStatements: Record<string, string>;
  close(statement: { type: 'S'; name: string }): void;
}

/**
 * A connection that keeps the most recently used prepared statements and closes the others. The protocol message `Close` is
 * sent with the next query: it costs no round trip, and works in a failed transaction too.
 *
 * A server that ends an idle connection is reported by an event, which would end the process without a listener. The next
 * statement fails and reports the end.
 */
export class BoundedClient extends pg.Client {
  /** Whether the connection keeps the process alive. node-postgres has both and does not declare them. */
  declare readonly ref: () => void;
  declare readonly unref: () => void;
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
