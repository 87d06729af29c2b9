import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from './base/config/config.js';
import { Database } from './base/database/database.js';
import { DirectoriesService } from './directory-sync/directories/directories.service.js';
import { PlatformService } from './forwarding/platform/platform.service.js';
import { systemActor } from './identity/source.js';
import { TenantsService } from './tenants/tenants.service.js';
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
  const { config, nest } = app;
  const { rows } = await nest.get(Database).query<{ any: boolean }>(`select exists (select 1 from tenants) as any`);
  if (rows[0]!.any) return null;
  const actor = systemActor('first start');
  const tenant = await nest
    .get(TenantsService)
    .create({ name: 'Demo', api_key: { name: 'demo' } }, { actor, requestId: null });
  const by = { tenantId: tenant.id, actor, requestId: null };
  const directory = await nest
    .get(DirectoriesService)
    .create(by, { name: 'Demo directory', profile: 'tolerant', guard: 'off' });
  const target = config.platform.baseUrl ?? sandboxUrl;
  if (target !== null) {
    const key = config.platform.baseUrl
      ? (config.platform.apiKey ?? '')
      : `sandbox_${randomBytes(18).toString('base64url')}`;
    await nest.get(PlatformService).ensure(tenant.id, target, key);
  }
  const credentials: Credentials = {
    tenant_id: tenant.id,
    api_key: tenant.api_key!,
    scim_base_url: `${config.baseUrl}/scim/v2`,
    scim_token: directory.scim_token,
    console_url: `${config.baseUrl}/console`,
    sandbox_url: sandboxUrl,
    operator_token: config.operatorToken,
  };
  await mkdir(config.dataDir, { recursive: true });
  const file = credentialsFile(config);
  await writeFile(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return credentials;
}
