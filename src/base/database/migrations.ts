import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { QueryRunner } from 'typeorm';
import { Baseline1767227890000 } from './migrations/1767227890000-baseline.js';
import { UnusedNames1767227900000 } from './migrations/1767227900000-unused-names.js';
import { TenantAddresses1767227910000 } from './migrations/1767227910000-tenant-addresses.js';
import { AtsTokenHashes1767227920000 } from './migrations/1767227920000-ats-token-hashes.js';
import { KeysOfSteps1767227930000 } from './migrations/1767227930000-keys-of-steps.js';
import { Guard1767227950000 } from './migrations/1767227950000-guard.js';
import { Requests1767227960000 } from './migrations/1767227960000-requests.js';
import { PreviewPlans1767227970000 } from './migrations/1767227970000-preview-plans.js';
import { ActiveUsers1767227971000 } from './migrations/1767227971000-active-users.js';
import { SmallRequests1767227980000 } from './migrations/1767227980000-small-requests.js';
import { DeliveredMinutes1767227981000 } from './migrations/1767227981000-delivered-minutes.js';
import { Console1767227990000 } from './migrations/1767227990000-console.js';
import { DirectoryClients1767228000000 } from './migrations/1767228000000-directory-clients.js';
import { CredentialHours1767228001000 } from './migrations/1767228001000-credential-hours.js';
import { DeliveryHours1767228050000 } from './migrations/1767228050000-delivery-hours.js';
import { Processes1767228051000 } from './migrations/1767228051000-processes.js';
import { DirectoryNetworks1767228100000 } from './migrations/1767228100000-directory-networks.js';
import { WorkEntries1767228112000 } from './migrations/1767228112000-work-entries.js';
import { UserSearch1767228113000 } from './migrations/1767228113000-user-search.js';
import { ApiKeyNetworks1767228115000 } from './migrations/1767228115000-api-key-networks.js';
import { Authentications1767228116000 } from './migrations/1767228116000-authentications.js';
import { KeptWrites1767228116500 } from './migrations/1767228116500-kept-writes.js';
import { HeldDepartures1767228116600 } from './migrations/1767228116600-held-departures.js';
import { AdministratorsTold1767228117000 } from './migrations/1767228117000-administrators-told.js';
import { ConsoleLinkMakers1767228117001 } from './migrations/1767228117001-console-link-makers.js';
import { CommittedRequests1767228123000 } from './migrations/1767228123000-committed-requests.js';
import { InterviewsNotTaken1767228123001 } from './migrations/1767228123001-interviews-not-taken.js';
import { RefusedTokens1767228123002 } from './migrations/1767228123002-refused-tokens.js';
import { RefusedNames1767228124000 } from './migrations/1767228124000-refused-names.js';
import { CreatedTimes1767228126000 } from './migrations/1767228126000-created-times.js';
import { PlanSteps1767228130000 } from './migrations/1767228130000-plan-steps.js';
import { UsersByRole1767228131000 } from './migrations/1767228131000-users-by-role.js';
import { KnownAs1767228132000 } from './migrations/1767228132000-known-as.js';
import { KnownNames1767228132001 } from './migrations/1767228132001-known-names.js';

/**
 * The migrations in the order in which they run: each brings an earlier database to the state of the files of `schema/`. A
 * migration that is not in this list does not run. The remark beside the last one of a released version names its commit: a
 * test starts that version beside the present one.
 */
export const MIGRATIONS = [
  Baseline1767227890000,
  UnusedNames1767227900000,
  TenantAddresses1767227910000,
  AtsTokenHashes1767227920000,
  KeysOfSteps1767227930000,
  Guard1767227950000,
  Requests1767227960000,
  PreviewPlans1767227970000,
  ActiveUsers1767227971000,
  SmallRequests1767227980000,
  DeliveredMinutes1767227981000,
  Console1767227990000,
  DirectoryClients1767228000000,
  CredentialHours1767228001000,
  DeliveryHours1767228050000,
  Processes1767228051000,
  DirectoryNetworks1767228100000,
  WorkEntries1767228112000,
  UserSearch1767228113000,
  ApiKeyNetworks1767228115000,
  Authentications1767228116000,
  KeptWrites1767228116500,
  HeldDepartures1767228116600,
  AdministratorsTold1767228117000,
  ConsoleLinkMakers1767228117001,
  CommittedRequests1767228123000,
  InterviewsNotTaken1767228123001,
  RefusedTokens1767228123002,
  RefusedNames1767228124000,
  CreatedTimes1767228126000, // the last one of commit 9db51329
  PlanSteps1767228130000,
  UsersByRole1767228131000,
  KnownAs1767228132000,
  KnownNames1767228132001,
];

/** In the order in which they run: each refers to tables of earlier ones. */
const FILES = [
  'base',
  'tenancy',
  'ledger',
  'sessions',
  'engine',
  'seats',
  'forwarding',
  'hiring',
  'directories',
  'users',
  'groups',
  'auth',
  'webhooks',
  'ats',
  'ats-inbound',
  'overview',
  'console',
  'operations',
];

/** A migration as TypeORM stores it: its class name ends with its time. */
interface Named {
  readonly name: string;
}

/** Whether a database has no schema yet. */
export async function isEmpty(db: QueryRunner): Promise<boolean> {
  const [found] = (await db.query(`select to_regclass('migrations') is null as empty`)) as [{ empty: boolean }];
  return found.empty;
}

/** Makes the whole schema in an empty database, in one transaction, and notes the migrations as run. */
export async function createSchema(db: QueryRunner, migrations: readonly Named[]): Promise<void> {
  await db.startTransaction();
  try {
    // Functions with the owner's rights keep this path: no table of a caller's own comes before those of the schema.
    await db.query(`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`);
    for (const file of FILES) {
      await db.query(readFileSync(path.join(import.meta.dirname, 'schema', `${file}.sql`), 'utf8'));
    }
    for (const { name } of migrations) {
      await db.query(`insert into migrations (timestamp, name) values ($1, $2)`, [name.slice(-13), name]);
    }
    await db.commitTransaction();
  } catch (error) {
    await db.rollbackTransaction();
    throw error;
  }
}
