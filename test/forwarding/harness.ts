import { createHash, randomBytes } from 'node:crypto';
import { Activity } from '../../src/base/activity.js';
import { SystemClock } from '../../src/base/clock.js';
import { Config } from '../../src/base/config/config.js';
import { Sealer } from '../../src/base/crypto/seal.js';
import type { Database } from '../../src/base/database/database.js';
import { WriteStatement } from '../../src/base/database/write-statement.js';
import { DomainEvents } from '../../src/base/domain-events.js';
import { Outbound } from '../../src/base/http/outbound.js';
import { Logger } from '../../src/base/log/logger.js';
import { NamedUsersRepository } from '../../src/directory-sync/users/answers/user-answers.js';
import { Channels } from '../../src/engine/delivery/channel.js';
import { ChangeParked, DestinationPaused } from '../../src/engine/delivery/delivery.events.js';
import { DeliveryOptions } from '../../src/engine/delivery/delivery.options.js';
import type { Destination, DestinationSettings } from '../../src/engine/delivery/destination.js';
import { DestinationStatesRepository } from '../../src/engine/delivery/destinations/destination-states.repository.js';
import { DestinationsRepository } from '../../src/engine/delivery/destinations/destinations.repository.js';
import { DeliveryMetrics } from '../../src/engine/delivery/pump/delivery.metrics.js';
import { DeliveryWorker } from '../../src/engine/delivery/pump/delivery.worker.js';
import { PumpParts } from '../../src/engine/delivery/pump/pump-parts.js';
import { AccountFinder } from '../../src/forwarding/account-finder.js';
import { Connections, platformOf } from '../../src/forwarding/connections.js';
import { ForwardingService } from '../../src/forwarding/forwarding.service.js';
import { PlatformClient } from '../../src/forwarding/platform-client/platform.client.js';
import { PlatformChannel } from '../../src/forwarding/platform.channel.js';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import type { ChangeKind, Person, UserChange, ChangeSource } from '../../src/tenancy/identity/person.js';
import { CHANNELS } from '../engine/delivery/channels/index.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { personOf } from '../support/persons.js';
import { patience } from '../support/speed.js';

export { personOf };

export const SOURCE: ChangeSource = {
  request_id: 'req_test',
  surface: 'scim',
  directory_id: null,
  actor: { kind: 'system', id: 'system', name: 'test' },
};

/** Quick pauses, so that a test sees in a second what takes minutes. */
export const QUICK: Partial<DeliveryOptions> = {
  pollMs: 20,
  leaseMarginMs: 1_000,
  touchMs: 10,
  backoff: { firstMs: 20, maxMs: 200 },
  probe: { firstMs: 30, maxMs: 200, fewPeopleMs: 100 },
};

export function testConfig(values: Partial<Config> = {}): Config {
  return new Config({
    port: 0,
    databaseUrl: null,
    migrationDatabaseUrl: null,
    databasePool: 10,
    dataDir: '.data',
    baseUrl: 'http://localhost',
    apiBaseUrl: 'http://localhost',
    appUrl: 'http://localhost',
    platform: { forwarding: true },
    sandbox: { enabled: 'off', port: 0 },
    encryptionKeys: [{ id: 'test', key: randomBytes(32) }],
    chainKeys: [{ id: 'test', key: randomBytes(32) }],
    operatorToken: 'x'.repeat(40),
    role: 'all',
    logLevel: 'silent',
    announcesPagination: true,
    trustProxy: [],
    dnsServers: [],
    destinationNetworks: [],
    webhookRetries: [20, 40, 80],
    ats: { clients: [], simulators: {} },
    interviewEngine: null,
    metrics: { port: null, token: null },
    rateLimit: null,
    tenantStorageLimit: null,
    tenantRateLimit: null,
    allowPrivateDestinations: true,
    session: { idleSeconds: 3600, absoluteSeconds: 3600 },
    retention: { logsDays: 1, bodiesDays: 1, attemptsDays: 1, eventsDays: 1 },
    production: false,
    unsafe: [],
    ...values,
  });
}

/** What comes back from a database or a platform: its shape is what each test is about. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, and compared
export type Any = any;

/** The domain events of the delivery, as published. */
export class Told {
  readonly events = new DomainEvents();
  readonly paused: { tenantId: string; reason: string; detail: string | null }[] = [];
  readonly parked: { tenantId: string; userId: string; reason: string }[] = [];

  constructor() {
    this.events.on(DestinationPaused, ({ destination: { tenantId }, reason, detail }) => {
      this.paused.push({ tenantId, reason, detail });
    });
    this.events.on(ChangeParked, ({ destination: { tenantId }, subject: userId, reason }) => {
      this.parked.push({ tenantId, userId, reason });
    });
  }
}

interface Life {
  dead: boolean;
}

/** The database of a worker that can be killed: from then on nothing of the worker reaches it. */
function mortal(db: Database, life: Life): Database {
  const never = (): Promise<never> => new Promise(() => undefined);
  return Object.assign(Object.create(db) as Database, {
    query: (...args: Parameters<Database['query']>) => (life.dead ? never() : db.query(...args)),
    transaction: (...args: Parameters<Database['transaction']>) => (life.dead ? never() : db.transaction(...args)),
  });
}

/** A database, a sandbox and the rooms between them, put together by hand. */
export class Harness {
  readonly config = testConfig();
  readonly forwarding = new ForwardingService();
  readonly outbound = new Outbound();
  readonly told = new Told();
  readonly destinations: DestinationsRepository;
  readonly states: DestinationStatesRepository;
  readonly connections: Connections;
  private readonly workers: { worker: DeliveryWorker; life: Life }[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly sandbox: SandboxPlatform,
    readonly logger: Logger,
  ) {
    this.destinations = new DestinationsRepository(database.db, new Sealer(this.config.encryptionKeys));
    this.states = new DestinationStatesRepository(database.db, this.told.events);
    this.connections = new Connections(this.config);
  }

  static async start(pool = 20): Promise<Harness> {
    const database = await testDatabase(pool);
    const sandbox = new SandboxPlatform({ databaseUrl: database.url, port: 0 });
    await sandbox.start();
    return new Harness(database, sandbox, new Logger(process.env['TEST_LOG'] ?? 'silent'));
  }

  get db(): TestDatabase['db'] {
    return this.database.db;
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.filter(({ life }) => !life.dead).map(({ worker }) => worker.stop()));
    await this.outbound.close();
    await this.sandbox.stop();
    await this.database.close();
  }

  /** A tenant that forwards to the sandbox under a key of its own, which is also its name. */
  async tenant(name: string, settings: Partial<DestinationSettings> = {}, baseUrl = this.sandbox.url): Promise<string> {
    const id = `ten_${name}`;
    await this.db.query(`insert into tenants (id, name) values ($1, $2) on conflict do nothing`, [id, name]);
    await this.connect(id, { baseUrl, key: `key-${id}`, settings: { timeout_ms: 1_000, ...settings } });
    return id;
  }

  connect(tenantId: string, change: Parameters<DestinationsRepository['save']>[2]): Promise<Destination> {
    return this.db.transaction(
      null,
      async (tx) => (await this.destinations.save(tx, platformOf(tenantId), change)).after,
    );
  }

  worker(options: Partial<DeliveryOptions> = {}): { worker: DeliveryWorker; kill(): void } {
    const life = { dead: false };
    const db = mortal(this.db, life);
    const channels = new Channels();
    for (const [, kit] of CHANNELS) channels.add(kit.channel(this, db));
    const worker = new DeliveryWorker(
      channels,
      new PumpParts(
        db,
        this.destinations,
        this.states,
        new DeliveryOptions({ ...QUICK, ...options }),
        new DeliveryMetrics(db, this.states),
        this.told.events,
        this.logger,
        new Activity(),
      ),
    );
    worker.start();
    this.workers.push({ worker, life });
    return {
      worker,
      kill: () => {
        life.dead = true;
        void worker.stop();
      },
    };
  }

  /** The channel to the sandbox. */
  platformChannel(db: Database): PlatformChannel {
    const clock = new SystemClock();
    const client = new PlatformClient(this.outbound);
    const finder = new AccountFinder(client, db, this.connections, new NamedUsersRepository(db), clock);
    return new PlatformChannel(client, finder, this.connections, clock);
  }

  /** Commits a change of a person, as the users room would. */
  async change(
    tenantId: string,
    userId: string,
    status: UserChange['status'],
    person: Partial<Person> = {},
    kind?: ChangeKind,
  ): Promise<void> {
    const change: UserChange = {
      kind: kind ?? (status === 'active' ? 'updated' : status === 'inactive' ? 'deactivated' : 'deleted'),
      person: personOf(userId, person),
      status,
      changed: ['last_name'],
    };
    const tx = new WriteStatement().subject((p) => `select ${p.add(userId, 'text')} as id`);
    this.forwarding.enqueue(tx, tenantId, change, SOURCE, new Date(), true);
    await tx.run(this.db);
  }

  async lane(tenantId: string, userId: string): Promise<Record<string, Any>> {
    const { rows } = await this.db.query(`select * from lanes where tenant_id = $1 and subject = $2`, [
      tenantId,
      userId,
    ]);
    return rows[0]!;
  }

  async counts(tenantId: string): Promise<{ pending: number; parked: number; total: number }> {
    const { rows } = await this.db.query<{ pending: number; parked: number; total: number }>(
      `select count(*) filter (where first_pending is not null)::int as pending,
              count(*) filter (where parked_reason is not null)::int as parked, count(*)::int as total
       from lanes where tenant_id = $1`,
      [tenantId],
    );
    return rows[0]!;
  }

  /** Who is parked and why, with the calls and answers about the users who had their names: the story of a failure. */
  async parked(tenantId: string): Promise<Record<string, Any>[]> {
    const { rows } = await this.db.query(
      `select l.subject as user_id, l.parked_reason, l.parked_detail, array(
         select format('%s %s %s %s %s', to_char(a.sent_at, 'SS.MS'), a.subject, a.method, a.path,
           concat_ws(' ', a.status, a.outcome, a.detail))
         from attempts a where a.tenant_id = $1 and a.subject in (
           select other.user_id from changes mine join changes other on other.tenant_id = $1
             and other.person->>'email' = mine.person->>'email'
           where mine.tenant_id = $1 and mine.user_id = l.subject)
         order by a.sent_at) as story
       from lanes l where l.tenant_id = $1 and l.parked_reason is not null`,
      [tenantId],
    );
    return rows;
  }

  /** Waits until nothing of the tenant is pending but what is parked. */
  async drained(tenantId: string, ms = 30_000): Promise<void> {
    await until(async () => {
      const { pending, parked } = await this.counts(tenantId);
      return pending === parked;
    }, ms);
  }

  /** The users of a tenant as the sandbox has them, by external id. */
  async platformUsers(tenantId: string): Promise<Map<string, Record<string, Any>>> {
    const { rows } = await this.database.owner.query<{ doc: Record<string, Any> }>(
      `select doc from sandbox_platform.users where space = $1`,
      [spaceOf(tenantId)],
    );
    return new Map(rows.map(({ doc }) => [String(doc['external_id'] ?? doc['id']), doc]));
  }

  async calls(tenantId: string): Promise<Record<string, Any>[]> {
    const { rows } = await this.database.owner.query(
      `select * from sandbox_platform.calls where space = $1 order by seq`,
      [spaceOf(tenantId)],
    );
    return rows;
  }

  /** Speaks to the sandbox as the tenant's own key. */
  async platform(
    tenantId: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Any }> {
    const response = await fetch(this.sandbox.url + path, {
      method,
      headers: { authorization: `Bearer key-${tenantId}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
}

export async function until(test: () => Promise<boolean> | boolean, ms = 20_000): Promise<void> {
  const end = Date.now() + patience(ms);
  while (!(await test())) {
    if (Date.now() > end) throw new Error(`this did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

function spaceOf(tenantId: string): string {
  return createHash('sha256').update(`key-${tenantId}`).digest('hex').slice(0, 16);
}
