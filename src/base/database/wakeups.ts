/** Background work that other processes wait for. */
export type Work = 'lanes' | 'work';

/** Wake-ups of one process are sent to the others together, at most once in this time. */
const GATHER_MS = 20;

type Send = (sql: string, values: unknown[]) => Promise<unknown> | undefined;

/**
 * Tells the workers of all processes that there is work, so that they need to poll less. A wake-up can be
 * lost with its process; looking, at a slow pace, finds that work too.
 */
export class Wakeups {
  static readonly channel = 'talent_bridge_work';
  private readonly workers = new Map<Work, Set<() => void>>();
  private readonly pending = new Set<Work>();
  private timer: NodeJS.Timeout | null = null;

  /** @param send runs a statement on the connection that listens; undefined: there is none */
  constructor(private readonly send: Send) {}

  /**
   * Calls `wake` when any process has work of this kind.
   *
   * @returns what ends it
   */
  on(work: Work, wake: () => void): () => void {
    const known = this.workers.get(work) ?? new Set();
    this.workers.set(work, known.add(wake));
    return () => void known.delete(wake);
  }

  /** Tells of work that was just committed: a worker of this process at once, else those of the others. */
  tell(work: Work): void {
    if (this.wake(work)) return;
    this.pending.add(work);
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Takes what another process has told. */
  told(payload: string): void {
    for (const work of payload.split(' ')) this.wake(work as Work);
  }

  private wake(work: Work): boolean {
    const workers = this.workers.get(work) ?? new Set();
    for (const wake of workers) wake();
    return workers.size > 0;
  }

  private flush(): void {
    this.timer = null;
    const works = [...this.pending].join(' ');
    this.pending.clear();
    this.send(`select pg_notify('${Wakeups.channel}', $1)`, [works])?.catch(() => undefined); // The slow look finds the work.
  }
}
