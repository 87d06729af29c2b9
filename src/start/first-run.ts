import { readFile, rename, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../base/config/config.js';
import { Database } from '../base/database/database.js';
import { makeFolder } from '../base/make-folder.js';
import { DirectoriesService } from '../directory-sync/directories/directories.service.js';
import { PlatformService } from '../forwarding/platform/platform.service.js';
import { NotFound } from '../base/errors/domain-error.js';
import { ConsoleLinksService } from '../console/access/console-links.service.js';
import { OPERATOR, systemActor } from '../tenancy/identity/person.js';
import { TenantsService } from '../tenancy/tenants/tenants.service.js';
import type { Application } from './application.js';

/** What the first start leaves in `<DATA_DIR>/credentials.json`, for scripts and for people. */
export interface Credentials {
  tenant_id: string;
  api_key: string;
  scim_base_url: string;
  scim_token: string;
  console_url: string;
  sandbox_url: string | null;
  operator_token: string;
}

/** The file with the credentials of the demo tenant. */
export function credentialsFile(config: Config): string {
  return path.join(config.dataDir, 'credentials.json');
}

/** The credentials that an earlier start has left, or null. */
export async function readCredentials(config: Config): Promise<Credentials | null> {
  try {
    return JSON.parse(await readFile(credentialsFile(config), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Makes the demo tenant where there is no tenant at all (contract §12): empty, forwarding to the sandbox, without a
 * seat limit, with a tolerant directory whose guard is off. Answers its credentials, or null if there was a tenant.
 */
export async function createDemoTenant(app: Application, sandboxUrl: string | null): Promise<Credentials | null> {
  return app.nest.get(Database).transaction(null, async (tx) => {
    // Of several processes that start together, one makes it; the lock ends with the transaction.
    await tx.query(`select pg_advisory_xact_lock(7234502819)`);
    const { rows } = await tx.query<{ any: boolean }>(`select exists (select 1 from tenants) as any`);
    return rows[0]!.any ? null : createIn(app, sandboxUrl);
  });
}

async function createIn({ config, nest }: Application, sandboxUrl: string | null): Promise<Credentials> {
  const actor = systemActor('first start');
  const tenant = await nest
    .get(TenantsService)
    .create({ name: 'Demo', api_key: { name: 'demo' } }, { actor, requestId: null });
  const by = { tenantId: tenant.id, actor, requestId: null };
  const directory = await nest
    .get(DirectoriesService)
    .create(by, { name: 'Demo directory', profile: 'tolerant', guard: 'off' });
  // With PLATFORM_API_BASE_URL the tenant has its connection by now.
  if (sandboxUrl !== null && config.platform.baseUrl === undefined) {
    await nest.get(PlatformService).ensure(tenant.id, sandboxUrl, sandboxKey());
  }
  const credentials: Credentials = {
    tenant_id: tenant.id,
    api_key: tenant.api_key!,
    scim_token: directory.scim_token,
    ...addresses(config, sandboxUrl),
  };
  await writeCredentials(config, credentials);
  return credentials;
}

/**
 * Brings the addresses in the credentials file up to date, when this start listens elsewhere than the last one, and
 * the demo tenant to where the sandbox now is, if it still forwarded to it.
 */
export async function refreshCredentials(app: Application, sandboxUrl: string | null): Promise<void> {
  const { config, nest } = app;
  const before = await readCredentials(config);
  if (before === null) return;
  const after = { ...before, ...addresses(config, sandboxUrl ?? before.sandbox_url) };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  if (sandboxUrl !== null && before.sandbox_url === null && config.platform.baseUrl === undefined) {
    await nest.get(PlatformService).ensure(before.tenant_id, sandboxUrl, sandboxKey());
  } else if (sandboxUrl !== null && before.sandbox_url !== null && before.sandbox_url !== sandboxUrl) {
    await nest.get(PlatformService).follow(before.tenant_id, before.sandbox_url, sandboxUrl);
  }
  await writeCredentials(config, after);
}

/** Returns a link that opens the console of the demo tenant once; null where this database has no such tenant. */
export async function consoleAddress(
  { nest }: Application,
  { tenant_id: tenantId }: Credentials,
): Promise<string | null> {
  const request = { role: 'admin', tenantId, madeBy: null, reason: 'start of the service' } as const;
  try {
    return (await nest.get(ConsoleLinksService).make(request, { actor: OPERATOR, requestId: null })).url;
  } catch (error) {
    // The credentials file is that of another database.
    if (error instanceof NotFound) return null;
    throw error;
  }
}

function sandboxKey(): string {
  return `sandbox_${randomBytes(18).toString('base64url')}`;
}

function addresses(
  { baseUrl, operatorToken }: Config,
  sandboxUrl: string | null,
): Omit<Credentials, 'tenant_id' | 'api_key' | 'scim_token'> {
  return {
    scim_base_url: `${baseUrl}/scim/v2`,
    console_url: `${baseUrl}/console`,
    sandbox_url: sandboxUrl,
    operator_token: operatorToken,
  };
}

async function writeCredentials(config: Config, credentials: Credentials): Promise<void> {
  makeFolder(config.dataDir);
  const file = credentialsFile(config);
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
