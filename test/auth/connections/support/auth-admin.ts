import type { NestExpressApplication } from '@nestjs/platform-express';
import { Clock } from '../../../../src/base/clock.js';
import type { Database } from '../../../../src/base/database/database.js';
import { ConnectionsModule } from '../../../../src/auth/connections/connections.module.js';
import { DomainsModule } from '../../../../src/auth/connections/domains/domains.module.js';
import { IdentitiesModule } from '../../../../src/auth/sign-in/identities/identities.module.js';
import { testDatabase } from '../../../support/database.js';
import { client, type Client } from '../../../support/http.js';
import { smallApp } from '../../../support/small-app.js';

/** The machine's time, moved. */
export class MovedClock extends Clock {
  private movedMs = 0;
  now(): Date {
    return new Date(Date.now() + this.movedMs);
  }
  monotonic(): number {
    return performance.now() + this.movedMs;
  }
  move(days: number): void {
    this.movedMs += days * 86_400_000;
  }
}

export interface AdminTenant {
  id: string;
  key: string;
  api: Client;
}

/** The administration of sign-in over HTTP, with tenants and directories, on a database of its own. */
export interface AuthAdmin {
  url: string;
  operatorToken: string;
  operator: Client;
  tenant: AdminTenant;
  db: Database;
  app: NestExpressApplication;
  clock: MovedClock;
  /** What was logged. */
  lines: string[];
  newTenant(): Promise<AdminTenant>;
  newDirectory(tenant: AdminTenant): Promise<string>;
  close(): Promise<void>;
}

/** Starts the administration of sign-in. */
export async function authAdmin(env: Record<string, string> = {}): Promise<AuthAdmin> {
  const database = await testDatabase(6);
  const clock = new MovedClock();
  const small = await smallApp({
    database,
    clock,
    modules: [DomainsModule, ConnectionsModule, IdentitiesModule],
    env: {
      LOG_LEVEL: 'trace',
      BASE_URL: 'https://bridge.example.com',
      APP_URL: 'https://app.example.com',
      ALLOW_PRIVATE_DESTINATIONS: 'on',
      ...env,
    },
  });
  const { url, config, app, lines } = small;
  const base = `${url}/api/v1`;
  const operator = client(base, config.operatorToken);

  const newTenant = async (): Promise<AdminTenant> => {
    const made = await operator.post('/tenants', { name: 'Tenant', api_key: { name: 'all' } });
    if (made.status !== 201) throw new Error(`no tenant: ${made.status} ${made.text}`);
    const { id, api_key: key } = made.body as { id: string; api_key: string };
    return { id, key, api: client(base, key) };
  };
  return {
    url,
    operatorToken: config.operatorToken,
    operator,
    tenant: await newTenant(),
    db: database.owner,
    app,
    clock,
    lines,
    newTenant,
    newDirectory: async ({ api }) => (await api.post('/directories', { name: 'D', guard: 'off' })).body.id as string,
    close: async () => {
      await small.close();
      await database.close();
    },
  };
}
