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
