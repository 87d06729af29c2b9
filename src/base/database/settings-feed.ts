import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Notification } from 'pg';

export type Work = 'lanes' | 'work';

/** Wake-ups of one process are sent to the others together, at most once in this time. */
const GATHER_MS = 20;

type Send = (sql: string, values: unknown[]) => Promise<unknown> | undefined;

/** Notifies the workers of all processes. A wake-up can be lost with its process: a slow poll finds that work too. */
class Wakeups {
  static readonly channel = 'talent_bridge_work';
  private readonly workers = new Map<Work, Set<() => void>>();
  private readonly pending = new Set<Work>();
  private timer: NodeJS.Timeout | null = null;

  /** @param send runs a statement on the connection that listens; undefined without one */
  constructor(private readonly send: Send) {}

  /** Calls `wake` when any process has work of this kind. Returns the function that ends it. */
  on(work: Work, wake: () => void): () => void {
    const known = this.workers.get(work) ?? new Set();
    this.workers.set(work, known.add(wake));
    return () => void known.delete(wake);
  }

  /** Announces work that was just committed: to a worker of this process at once, else to those of the others. */
  tell(work: Work): void {
    if (this.wake(work)) return;
    this.pending.add(work);
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Takes the notification of another process. */
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

/** null when the feed begins anew, and anything may have changed. `id` is '' where the table has none. */
type ChangedRow = { readonly tenantId: string; readonly id: string } | null;

/** Changes of rows, from the triggers, and the questions of other processes. */
const CHANGES = 'talent_bridge_settings';
/** Answers to the questions of one process. */
const answersTo = (pid: string | number): string => `talent_bridge_answers_${pid}`;
/** The lock that each listening connection shares, so that others can count them. */
const LOCK = { class: 72_345_029, id: 1 };

/** The greatest age of the last proof that every change has arrived. */
const PROOF_MS = 800;
/** A new proof is asked for beside the requests at this age. */
const RENEW_MS = 400;
/** A process that does not answer within this time has lost its proof, and reads everything anew. */
const SILENCE_MS = 1_000;
const RECONNECT_MS = { first: 50, most: 1_000 };

class Question {
  private readonly answered = new Set<string>();
  private check: () => void = () => undefined;

  /** Takes an answer, also before the list of asked processes is known. */
  hear(pid: string): void {
    this.answered.add(pid);
    this.check();
  }

  /** Resolves when all of `pids` have answered. */
  answeredBy(pids: readonly string[]): Promise<void> {
    return new Promise((done) => {
      this.check = () => {
        if (pids.every((pid) => this.answered.has(pid))) done();
      };
      this.check();
    });
  }
}

/**
 * Notifies this process of changes of cached rows, by LISTEN on one connection, and lets a change wait until every other
 * process knows it.
 *
 * Modes: *off* (before `start`, after `stop`: caches go by age), *listening* (a cached row holds while a round trip of the last
 * 0.8 seconds proves that every notification has arrived), *away* (the connection broke: nothing is cached until it is open
 * again).
 */
export class SettingsFeed {
  readonly wakeups = new Wakeups((sql, values) => this.client?.query(sql, values));
  private client: pg.Client | null = null;
  private pid = 0;
  private running = false;
  private connecting: Promise<void> = Promise.resolve();
  private provenAt = -Infinity;
  private proving: Promise<void> | null = null;
  private readonly listeners = new Map<string, ((row: ChangedRow) => void)[]>();
  private readonly questions = new Map<string, Question>();
  private readonly stopping = new AbortController();

  /** @param config of a connection with the settings and the role of the service */
  constructor(
    private readonly config: pg.ClientConfig,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Calls `listener` for each changed row of the tables, which have the trigger `tell_settings`. */
  on(tables: readonly string[], listener: (row: ChangedRow) => void): void {
    for (const table of tables) this.listeners.set(table, [...(this.listeners.get(table) ?? []), listener]);
  }

  /** Resolves when the first connection is open. Later ones are made automatically. */
  async start(): Promise<void> {
    this.running = true;
    await this.connect();
  }

  async stop(): Promise<void> {
    this.running = false;
    this.stopping.abort();
    await this.connecting;
    await this.client?.end();
    this.client = null;
  }

  /** Whether caches go by this feed; else by age alone. */
  get isOn(): boolean {
    return this.running;
  }

  /** Whether cached rows can hold. */
  get isListening(): boolean {
    return this.client !== null;
  }

  /** Whether each change has arrived that was committed until 0.8 seconds ago. */
  isCurrent(): boolean {
    const age = this.now() - this.provenAt;
    if (age > RENEW_MS) void this.prove();
    return this.client !== null && age < PROOF_MS;
  }

  /** Proves that every present commit has arrived. A failure leaves the feed without a proof. */
  prove(): Promise<void> {
    this.proving ??= this.askServer().finally(() => (this.proving = null));
    return this.proving;
  }

  /**
   * Resolves when no process uses its former rows: each has confirmed the changes, or has been silent for a second and reads
   * everything anew. Costs one round trip where there is no other process.
   */
  async settled(): Promise<void> {
    if (!this.running) return;
    const { client } = this;
    const calm = new AbortController();
    const silence = (): Promise<void> =>
      sleep(SILENCE_MS, undefined, { signal: calm.signal, ref: false }).catch(() => undefined);
    const id = randomUUID();
    const question = new Question();
    // Before it is sent: the first answers can arrive together with the list of asked processes.
    this.questions.set(id, question);
    try {
      if (client === null) return await silence();
      const { rows } = await client.query<{ pid: string }>(
        `select l.pid::text as pid, pg_notify('${CHANGES}', 'asks ' || pg_backend_pid() || ' ' || $1::text)
         from pg_locks l where l.locktype = 'advisory' and l.classid = ${LOCK.class} and l.objid = ${LOCK.id}
           and l.database = (select oid from pg_database where datname = current_database()) and l.pid <> pg_backend_pid()`,
        [id],
      );
      await Promise.race([silence(), question.answeredBy(rows.map(({ pid }) => pid))]);
    } catch {
      await silence(); // The connection broke: which process knows the change is unknown.
    } finally {
      this.questions.delete(id);
      calm.abort();
    }
  }

  private async askServer(): Promise<void> {
    const { client } = this;
    const at = this.now();
    try {
      // The server sends its notifications before it is ready for another query.
      await client?.query('select 1');
      if (client !== null && client === this.client) this.provenAt = at;
    } catch {
      // Without a proof: the connection's end is noticed by its own event.
    }
  }

  private async connect(): Promise<void> {
    // Questions, answers and proofs of one moment are sent together: node-postgres gives its own queue up with version 9.
    const client = new pg.Client({ ...this.config, keepAlive: true, pipeline: true });
    const lost = (): void => this.lost(client);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', (notification) => this.told(client, notification));
    try {
      await client.connect();
      const at = this.now();
      const { rows } = await client.query<{ pid: number }>(
        `select pg_backend_pid() as pid, pg_advisory_lock_shared(${LOCK.class}, ${LOCK.id})`,
      );
      await client.query(`listen ${CHANGES}; listen ${answersTo(rows[0]!.pid)}; listen ${Wakeups.channel}`);
      this.client = client;
      this.pid = rows[0]!.pid;
      this.provenAt = at;
      this.publish(null);
    } catch (error) {
      await client.end().catch(() => undefined); // It was never up.
      if (this.running && this.client === null && this.provenAt === -Infinity) throw error;
    }
  }

  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.publish(null);
    this.connecting = this.reconnect();
  }

  private async reconnect(): Promise<void> {
    for (
      let pause = RECONNECT_MS.first;
      this.running && this.client === null;
      pause = Math.min(2 * pause, RECONNECT_MS.most)
    ) {
      await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.running) await this.connect();
    }
  }

  private told(client: pg.Client, { channel, payload = '' }: Notification): void {
    const [what = '', first = '', second = ''] = payload.split(' ');
    if (channel === Wakeups.channel) return this.wakeups.told(payload);
    if (channel !== CHANGES) return this.questions.get(what)?.hear(first);
    if (what !== 'asks') return this.publish({ tenantId: first, id: second }, what);
    // In the order of the commits: a process that reads this question has read every change before it.
    client.query(`select pg_notify($1, $2)`, [answersTo(first), `${second} ${this.pid}`]).catch(() => undefined); // The end of the connection is noticed by its own event.
  }

  private publish(row: ChangedRow, table?: string): void {
    const all = table === undefined ? [...this.listeners.values()].flat() : (this.listeners.get(table) ?? []);
    for (const listener of new Set(all)) listener(row);
  }
}
