import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { BoundedClient } from './base/database/bounded-client.js';
import { demandUsable, poolerIn, sessionOptions } from './base/database/session-settings.js';
import { CreateTenants1767225600000 } from './base/database/migrations/1767225600000-create-tenants.js';
import { CreateDirectories1767225660000 } from './base/database/migrations/1767225660000-create-directories.js';
import { CreateUsers1767225720000 } from './base/database/migrations/1767225720000-create-users.js';
import { CreateGroups1767225780000 } from './base/database/migrations/1767225780000-create-groups.js';
import { CreateSeats1767225840000 } from './base/database/migrations/1767225840000-create-seats.js';
import { CreateDelivery1767225900000 } from './base/database/migrations/1767225900000-create-delivery.js';
import { CreateSignIn1767225960000 } from './base/database/migrations/1767225960000-create-sign-in.js';
import { TrustOriginsByTenant1767226060000 } from './base/database/migrations/1767226060000-trust-origins-by-tenant.js';
import { IndexIdentityNames1767226020000 } from './base/database/migrations/1767226020000-index-identity-names.js';
import { DocumentSizes1767226100000 } from './base/database/migrations/1767226100000-document-sizes.js';
import { ProtectLedgers1767226300000 } from './base/database/migrations/1767226300000-protect-ledgers.js';
import { ReserveSignInNames1767226400000 } from './base/database/migrations/1767226400000-reserve-sign-in-names.js';
import { MaintenanceFunctions1767226310000 } from './base/database/migrations/1767226310000-maintenance-functions.js';
import { ActiveInDocuments1767226900000 } from './base/database/migrations/1767226900000-active-in-documents.js';
import { UserNameKeys1767226910000 } from './base/database/migrations/1767226910000-user-name-keys.js';
import { PendingMembersEnd1767226920000 } from './base/database/migrations/1767226920000-pending-members-end.js';
import { HolderFacts1767226930000 } from './base/database/migrations/1767226930000-holder-facts.js';
import { TenantAddresses1767226940000 } from './base/database/migrations/1767226940000-tenant-addresses.js';
import { Managers1767226950000 } from './base/database/migrations/1767226950000-managers.js';
import { NeverLockedOut1767226500000 } from './base/database/migrations/1767226500000-never-locked-out.js';
import { ResourceRevisions1767226700000 } from './base/database/migrations/1767226700000-resource-revisions.js';
import { DoubtedMetadata1767226800000 } from './base/database/migrations/1767226800000-doubted-metadata.js';
import { SessionNames1767226810000 } from './base/database/migrations/1767226810000-session-names.js';
import { LinkUsers1767226600000 } from './base/database/migrations/1767226600000-link-users.js';
import { TaskResults1767226610000 } from './base/database/migrations/1767226610000-task-results.js';
import { ListOrders1767226710000 } from './base/database/migrations/1767226710000-list-orders.js';
import { PreviewWrites1767226620000 } from './base/database/migrations/1767226620000-preview-writes.js';
import { DiscardedRoles1767226630000 } from './base/database/migrations/1767226630000-discarded-roles.js';
import { Installation1767227000000 } from './base/database/migrations/1767227000000-installation.js';
import { StorageProbe1767227020000 } from './base/database/migrations/1767227020000-storage-probe.js';
import { TaskSeen1767227010000 } from './base/database/migrations/1767227010000-task-seen.js';
import { UnknownRoles1767227030000 } from './base/database/migrations/1767227030000-unknown-roles.js';
import { Events1767227410000 } from './base/database/migrations/1767227410000-events.js';
import { LargeShares1767227452000 } from './base/database/migrations/1767227452000-large-shares.js';
import { ProvenValues1767227450000 } from './base/database/migrations/1767227450000-proven-values.js';
import { SignedOutAtIdp1767227460000 } from './base/database/migrations/1767227460000-signed-out-at-idp.js';
import { EventSequences1767227490000 } from './base/database/migrations/1767227490000-event-sequences.js';
import { AttemptsOfEndpoints1767227491000 } from './base/database/migrations/1767227491000-attempts-of-endpoints.js';
import { EventFeed1767227520000 } from './base/database/migrations/1767227520000-event-feed.js';
import { AtsConnections1767227530000 } from './base/database/migrations/1767227530000-ats-connections.js';
import { AtsInbound1767227531000 } from './base/database/migrations/1767227531000-ats-inbound.js';
import { Interviews1767227532000 } from './base/database/migrations/1767227532000-interviews.js';
import { AtsWrites1767227533000 } from './base/database/migrations/1767227533000-ats-writes.js';
import { AtsPaces1767227534000 } from './base/database/migrations/1767227534000-ats-paces.js';
import { AtsMarketplace1767227535000 } from './base/database/migrations/1767227535000-ats-marketplace.js';
import { AtsOpenEvents1767227536000 } from './base/database/migrations/1767227536000-ats-open-events.js';
import { Tasks1767227400000 } from './base/database/migrations/1767227400000-tasks.js';
import { SignInHelp1767227100000 } from './base/database/migrations/1767227100000-sign-in-help.js';
import { UserListKey1767227430000 } from './base/database/migrations/1767227430000-user-list-key.js';
import { Plans1767227440000 } from './base/database/migrations/1767227440000-plans.js';
import { SettingsNotices1767227441000 } from './base/database/migrations/1767227441000-settings-notices.js';
import { Webhooks1767227510000 } from './base/database/migrations/1767227510000-webhooks.js';
import { LaneStates1767227200000 } from './base/database/migrations/1767227200000-lane-states.js';
import { Candidates1767227500000 } from './base/database/migrations/1767227500000-candidates.js';
import { FirstMonths1767227502000 } from './base/database/migrations/1767227502000-first-months.js';
import { TenantOfEvents1767227503000 } from './base/database/migrations/1767227503000-tenant-of-events.js';
import { JobOpenings1767227501000 } from './base/database/migrations/1767227501000-job-openings.js';

/** Every migration, named one by one: what is not in this list does not run. */
export const MIGRATIONS = [
  CreateTenants1767225600000,
  CreateDirectories1767225660000,
  CreateUsers1767225720000,
  CreateGroups1767225780000,
  CreateSeats1767225840000,
  CreateDelivery1767225900000,
  CreateSignIn1767225960000,
  IndexIdentityNames1767226020000,
  TrustOriginsByTenant1767226060000,
  DocumentSizes1767226100000,
  ProtectLedgers1767226300000,
  MaintenanceFunctions1767226310000,
  ReserveSignInNames1767226400000,
  NeverLockedOut1767226500000,
  ActiveInDocuments1767226900000,
  UserNameKeys1767226910000,
  PendingMembersEnd1767226920000,
  HolderFacts1767226930000,
  TenantAddresses1767226940000,
  Managers1767226950000,
  ResourceRevisions1767226700000,
  DoubtedMetadata1767226800000,
  SessionNames1767226810000,
  LinkUsers1767226600000,
  TaskResults1767226610000,
  ListOrders1767226710000,
  PreviewWrites1767226620000,
  DiscardedRoles1767226630000,
  Installation1767227000000,
  TaskSeen1767227010000,
  StorageProbe1767227020000,
  UnknownRoles1767227030000,
  SignInHelp1767227100000,
  Tasks1767227400000,
  Events1767227410000,
  ProvenValues1767227450000,
  SignedOutAtIdp1767227460000,
  EventSequences1767227490000,
  AttemptsOfEndpoints1767227491000,
  EventFeed1767227520000,
  AtsConnections1767227530000,
  AtsInbound1767227531000,
  Interviews1767227532000,
  AtsWrites1767227533000,
  AtsPaces1767227534000,
  AtsMarketplace1767227535000,
  AtsOpenEvents1767227536000,
  LargeShares1767227452000,
  LaneStates1767227200000,
  UserListKey1767227430000,
  Plans1767227440000,
  SettingsNotices1767227441000,
  Webhooks1767227510000,
  Candidates1767227500000,
  JobOpenings1767227501000,
  FirstMonths1767227502000,
  TenantOfEvents1767227503000,
];

/**
 * The data source of the service. `pool` is the number of connections at the most.
 *
 * @param role what each connection steps down to, in its startup packet: no round trip; null: the address's own role
 */
export function createDataSource(url: string, pool: number, role: string | null = null): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities: [],
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    poolSize: pool,
    connectTimeoutMS: 5000,
    logging: false,
    extra: {
      Client: BoundedClient,
      options: sessionOptions(role),
      keepAlive: true,
    },
  });
}

/**
 * Waits until the database lets us in, for as long as a restart of it may take.
 *
 * @throws {PlainFailure} when it is none that the service can use; else what it last said
 */
export async function waitForDatabase(url: string, patienceMs = 60_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const client = clientOf(url);
    try {
      await client.connect();
      return await demandUsable(client, async () => {
        const another = clientOf(url);
        await another.connect();
        return another;
      });
    } catch (error) {
      const pooler = poolerIn(error);
      if (pooler !== null) throw pooler;
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await sleep(500);
    } finally {
      await client.end().catch(() => undefined); // it was never up
    }
  }
}

function clientOf(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, options: sessionOptions() });
  client.on('error', () => undefined); // a connection that breaks while we ask is asked again
  return client;
}

/** Refused, unreachable, starting up, shutting down: it may be there in a moment. A wrong password will not be right. */
function isPassing(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', '57P03', '57P01', '53300'].includes(
    code,
  );
}

/**
 * Brings the schema of a database up to date, one process at a time. A lock that is not free within two seconds is
 * asked for again instead of holding up the traffic behind it.
 *
 * @param afterwards what else the owner does under the same lock: roles and grants
 */
export async function migrate(
  url: string,
  afterwards: (owner: PoolClient) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    poolSize: 2,
    logging: false,
    extra: { options: '-c lock_timeout=2000' },
  });
  await source.initialize();
  try {
    // Several processes may start at once; the second waits here and then finds nothing left to do.
    const lock = source.createQueryRunner();
    await takeMigrationLock(lock);
    try {
      const migrated = (await runWithRetry(source)).map((m) => m.name);
      await afterwards((await lock.connect()) as PoolClient);
      return migrated;
    } finally {
      await lock.query('select pg_advisory_unlock(7234502817)');
      await lock.release();
    }
  } finally {
    await source.destroy();
  }
}

/**
 * Takes the lock of migrations. A statement that waits would hold a snapshot, and a concurrent build of an index waits
 * for all older snapshots: the two would wait for each other. So the lock is asked for again and again.
 */
async function takeMigrationLock(lock: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await lock.query('select pg_try_advisory_lock(7234502817) as taken')) as { taken: boolean }[];
    if (row!.taken) return;
    await sleep(100);
  }
}

async function runWithRetry(source: DataSource): Promise<{ name: string }[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await source.runMigrations();
    } catch (error) {
      const lockTimeout = (error as { driverError?: { code?: string } }).driverError?.code === '55P03';
      if (!lockTimeout || attempt === 10) throw error;
    }
  }
}
