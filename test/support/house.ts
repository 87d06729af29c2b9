import type { TestApp, TestTenant } from './app.js';
import { client, type Client } from './http.js';
import { scim } from './scim.js';

/** A tenant with a client at each of its doors. */
export interface House extends TestTenant {
  api: Client;
  scim: Client;
}

export async function newHouse(service: TestApp, directory: object = {}): Promise<House> {
  const tenant = await service.newTenant(directory);
  return { ...tenant, api: client(`${service.url}/api/v1`, tenant.apiKey), scim: scim(service.url, tenant.scimToken) };
}

/** The user as the API of its tenant shows it. */
// The shape of an answer is what each test is about.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, as a program would
export const show = async ({ api }: House, id: string): Promise<any> => (await api.get(`/users/${id}`)).body;

/** Makes all users of a tenant in force since eight days ago: the limits of a guard rest on those of the last seven. */
export async function settleUsers({ db }: Pick<TestApp, 'db'>, tenantId: string): Promise<void> {
  await db.query(
    `update users set in_force_since = now() - interval '8 days', version = version + 1, quiet_writes = quiet_writes + 1
     where tenant_id = $1`,
    [tenantId],
  );
}
