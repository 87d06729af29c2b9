import pg from 'pg';
import type { DataSource } from 'typeorm';
import { PlainFailure } from '../base/errors/domain-error.js';
import {
  databaseAddressOf,
  ensureLogin,
  ensureSandboxRole,
  ensureServiceRole,
  grantService,
  isGranted,
  NoServiceRole,
  SANDBOX_ROLE,
} from '../base/database/service-role.js';
import { recordMigrations } from '../tenancy/tenants/audit/audit.service.js';
import { MIGRATIONS } from '../base/database/migrations.js';
import { migrate, waitForDatabase } from './data-source.js';

/** How the service gets at its database, once the schema is up to date. */
interface DatabaseAccess {
  readonly url: string;
  /** The role that each connection steps down to; null: the role of the address. */
  readonly role: string | null;
  /** Why the service runs with the owner's rights; null: it does not. */
  readonly asOwner: string | null;
  /** Migrations that ran just now. */
  readonly migrated: readonly string[];
}

/** What else {@link prepareDatabase} has to know. */
export interface Preparation {
  /** The data folder of an embedded database, which is not migrated while another process uses it. */
  readonly dataFolder?: string | null;
  /** Receives the error of the first try of a connection, when another try follows. */
  readonly waiting?: (error: unknown) => void;
}

/**
 * Brings the schema up to date and finds the role that the service runs as. With an address of the owner, migrations
 * and grants run there and the service keeps to the plain role of its own address. With one address alone, its role
 * migrates, and the service's connections step down to a role without the owner's rights. The address of a plain role
 * alone migrates nothing.
 *
 * @throws {PlainFailure} when migrations are missing and no role may run them, or the data folder is in use
 */
export async function prepareDatabase(
  url: string,
  ownerUrl: string | null,
  preparation: Preparation = {},
): Promise<DatabaseAccess> {
  if (ownerUrl !== null) return withOwner(url, ownerUrl, preparation);
  await waitForDatabase(url, preparation);
  if (await isPlainRole(url)) {
    await refuseMissing(url);
    return { url, role: null, asOwner: null, migrated: [] };
  }
  let role: string | NoServiceRole = new NoServiceRole('');
  const migrated = await migrate(url, async (owner, names) => {
    if (names.length > 0) await recordMigrations(owner, names);
    role = await ensureServiceRole(owner);
    if (typeof role === 'string' && !(await isGranted(owner, role))) await grantService(owner, role);
  });
  const found = role as string | NoServiceRole;
  if (typeof found === 'string') return { url, role: found, asOwner: null, migrated };
  return { url, role: null, asOwner: found.reason, migrated };
}

/**
 * Checks that the connections of the service did step down.
 *
 * @throws {PlainFailure} when a pooler between has dropped the role
 */
export async function demandRole(source: DataSource, role: string | null): Promise<void> {
  if (role === null) return;
  const [found]: { me: string }[] = await source.query('select current_user as me');
  if (found!.me === role) return;
  throw new PlainFailure(
    `the connections of the service do not step down to ${role}: a pooler between drops startup options. Set ` +
      'MIGRATION_DATABASE_URL to this address, and DATABASE_URL to one with a user of its own.',
  );
}

async function withOwner(url: string, ownerUrl: string, preparation: Preparation): Promise<DatabaseAccess> {
  await waitForDatabase(ownerUrl, { ...preparation, setting: 'MIGRATION_DATABASE_URL' });
  const { username, password } = new URL(url);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  // An address that does not work, or has a pooler, must not have migrated the database. A role that is missing comes below.
  if (await connected(ownerUrl, (owner) => mayConnect(owner, user))) await waitForDatabase(url, preparation);
  let same = false;
  const migrated = await migrate(
    ownerUrl,
    async (owner, names) => {
      if (names.length > 0) await recordMigrations(owner, names);
      const { rows } = await owner.query<{ me: string }>(`select current_user as me`);
      same = rows[0]!.me === user;
      if (same) return;
      await ensureLogin(owner, user, secret);
      if (!(await isGranted(owner, user))) await grantService(owner, user);
    },
    async (owner) => {
      const { dataFolder = null } = preparation;
      if (dataFolder !== null && (await isServed(owner, user))) throw folderInUse(dataFolder);
    },
  );
  if (same) return { ...(await prepareDatabase(url, null)), migrated };
  await waitForDatabase(url, preparation);
  return { url, role: null, asOwner: null, migrated };
}

/** Returns whether a role exists and may connect to this database. */
async function mayConnect(owner: pg.Client, user: string): Promise<boolean> {
  const sql = `select has_database_privilege(oid, current_database(), 'connect') as may from pg_roles where rolname = $1`;
  return (await owner.query<{ may: boolean }>(sql, [user])).rows[0]?.may ?? false;
}

/**
 * Makes the role and the schema of the sandbox platform.
 *
 * @param ownerUrl the address of a role that may create roles
 * @returns the sandbox's own address
 * @throws {PlainFailure} when the role may not
 */
export async function prepareSandbox(ownerUrl: string, schema: string, password: string): Promise<string> {
  try {
    await connected(ownerUrl, (owner) => ensureSandboxRole(owner, schema, password));
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new PlainFailure(
      `the sandbox platform needs a database role of its own (${SANDBOX_ROLE}), and the role of ` +
        'MIGRATION_DATABASE_URL (else DATABASE_URL) may not create it; SANDBOX=off does without it.',
    );
  }
  return databaseAddressOf(ownerUrl, SANDBOX_ROLE, password);
}

/** Returns whether another process serves this database: this one has no connection as the plain role yet. */
async function isServed(owner: pg.PoolClient, user: string): Promise<boolean> {
  const sql = `select 1 from pg_stat_activity where usename = $1 and datname = current_database() limit 1`;
  return (await owner.query(sql, [user])).rowCount !== 0;
}

function folderInUse(folder: string): PlainFailure {
  return new PlainFailure(
    `another process, of an older version, uses the data folder ${folder}. Nothing in it was changed. Stop that process ` +
      'first: this version migrates the database. Or set DATA_DIR to another folder.',
  );
}

/** Whether the schema stands already and belongs to a role that the address's role is no member of. */
async function isPlainRole(url: string): Promise<boolean> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ plain: boolean }>(
      `select not pg_has_role(current_user, relowner, 'member') as plain from pg_class
       where oid = to_regclass('migrations')`,
    );
    return rows[0]?.plain ?? false;
  });
}

async function refuseMissing(url: string): Promise<void> {
  const missing = await connected(url, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const there = new Set(rows.map(({ name }) => name));
    return MIGRATIONS.map(({ name }) => name).filter((name) => !there.has(name));
  });
  if (missing.length === 0) return;
  throw new PlainFailure(
    `the database lacks ${missing.length} migrations (the first one: ${missing[0]}), and the role of DATABASE_URL may ` +
      'not run them; set MIGRATION_DATABASE_URL to the owner’s address, or run `migrate` with it.',
  );
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the query that fails reports it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
