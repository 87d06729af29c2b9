import { INSTALLATION, ownerOf } from '../../src/base/database/database-health.js';
import type { Database, SqlRunner } from '../../src/base/database/database.js';
import { isOfInstallation } from './installation-statements.js';

type Run = (text: string, values?: unknown[]) => Promise<unknown>;

/**
 * Looks at each statement that a service sends: it has its tenant as `$1`, or stands on the list of the installation's
 * statements. Statements that a test sends through the service's own database are left out.
 */
export class StatementRecorder {
  private readonly known = new Set<string>();
  private readonly others: string[] = [];

  /** @param ofTests also looks at the statements that a test sends */
  constructor(
    db: Database,
    private readonly options: { ofTests?: boolean } = {},
  ) {
    this.spy(db, ['query', 'shaped', 'queryOnce', 'shapedOnce', 'search', 'execute']);
    const transaction = db.transaction.bind(db);
    db.transaction = <T>(tenantId: string | null, work: (tx: SqlRunner) => Promise<T>): Promise<T> =>
      transaction(tenantId, (tx) => {
        this.spy(tx, ['query', 'shaped']);
        return work(tx);
      });
  }

  /** @throws {Error} with the statements that have no tenant and are not on the list */
  check(): void {
    if (this.others.length === 0) return;
    throw new Error(
      `statements without their tenant as $1; give them one, or a reason in test/support/installation-statements.ts:\n  ${this.others.join('\n  ')}`,
    );
  }

  private spy(runner: SqlRunner, methods: readonly string[]): void {
    const own = runner as unknown as Record<string, Run>;
    for (const method of methods) {
      const run = own[method]!.bind(runner);
      own[method] = (text, values = []) => {
        if (ownerOf(values[0]) === INSTALLATION && !this.known.has(text)) this.note(text);
        return run(text, values);
      };
    }
  }

  private note(text: string): void {
    this.known.add(text);
    if (isOfInstallation(text)) return;
    const sender = (new Error().stack ?? '')
      .split('\n')
      .map((line) => /[/\\]((?:src|test)[/\\][^:]*)/.exec(line)?.[1])
      .find((file) => file !== undefined && !/^src.base.database|^test.support.statements/.test(file));
    if (sender?.startsWith('test') === true && this.options.ofTests !== true) return;
    this.others.push(`${sender ?? 'unknown'}: ${text.replace(/\s+/g, ' ').trim().slice(0, 160)}`);
  }
}
