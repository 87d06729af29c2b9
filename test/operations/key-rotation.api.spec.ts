import { randomBytes } from 'node:crypto';
import { Sealer } from '../../src/base/crypto/seal.js';
import { SEALED_COLUMNS } from '../../src/operations/sealed-secrets.js';
import { adminApp } from '../support/admin-app.js';
import { startApp } from '../support/app.js';
import { send } from '../support/http.js';
import { testDatabase } from '../support/database.js';
import { long } from '../support/rounds.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

long('seals every secret with the new key, so that the old one can be removed', async () => {
  const [older, newer] = [key('older'), key('newer')];
  const database = await testDatabase();
  try {
    const before = await adminApp({ ENCRYPTION_KEY: older }, [], database);
    const tenants = [before.tenant, ...(await Promise.all(Array.from({ length: 3 }, () => before.newTenant())))];
    const sealer = before.app.get(Sealer);
    for (const { id } of tenants) {
      await database.db.query(
        `insert into destinations (tenant_id, base_url, key_sealed) values ($1, 'https://x', $2)`,
        [id, sealer.seal(`secret of ${id}`, `${id}:destinations.key`)],
      );
    }
    const made = await before.call('POST', '/api/v1/roles', {
      body: { name: 'R', takes_seat: true },
      headers: { 'idempotency-key': 'k1' },
    });
    await before.close();

    const between = await adminApp({ ENCRYPTION_KEY: `${newer},${older}` }, [], database);
    const rotated = await between.call('POST', '/api/v1/tenants/keys/rotate', { token: between.operatorToken });
    expect(rotated.body).toEqual({
      key_id: 'newer',
      resealed: {
        'ats_connections.credential_sealed': 0,
        'ats_signing_secrets.sealed': 0,
        'destinations.key_sealed': 4,
        'idempotency_keys.committed': 0,
        'idempotency_keys.response': 1,
        'connections.client_secret_sealed': 0,
        'connections.private_key_sealed': 0,
        'sessions.id_token_sealed': 0,
        'service_keys.private_key_sealed': 0,
        'webhook_endpoints.headers_sealed': 0,
        'webhook_secrets.sealed': 0,
      },
    });
    const again = await between.call('POST', '/api/v1/tenants/keys/rotate', { token: between.operatorToken });
    expect(new Set(Object.values(again.body.resealed))).toEqual(new Set([0]));
    await between.close();

    const after = await adminApp({ ENCRYPTION_KEY: newer }, [], database);
    for (const { id } of tenants) {
      const { rows } = await database.db.query<{ key_sealed: string }>(
        `select key_sealed from destinations where tenant_id = $1`,
        [id],
      );
      expect(after.app.get(Sealer).unseal(rows[0]!.key_sealed, `${id}:destinations.key`)).toBe(`secret of ${id}`);
    }
    const replayed = await after.call('POST', '/api/v1/roles', {
      token: before.tenant.api_key,
      body: { name: 'R', takes_seat: true },
      headers: { 'idempotency-key': 'k1' },
    });
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([made.text, 'true']);
    await after.close();
  } finally {
    await database.close();
  }
});

long('opens each secret of the service by the table of bindings', async () => {
  const app = await startApp();
  try {
    const set = await send('PUT', `${app.url}/api/v1/platform`, app.tenant.apiKey, {
      base_url: 'http://127.0.0.1:9',
      api_key: 'the-platform-key',
    });
    expect(set.status).toBe(200);
    const sealer = app.app.nest.get(Sealer);
    const column = SEALED_COLUMNS.find(({ table }) => table === 'destinations')!;
    const { rows } = await app.db.query<Record<string, string>>(
      `select tenant_id, channel, id, key_sealed from destinations`,
    );
    expect(sealer.unseal(rows[0]!['key_sealed']!, column.aad(rows[0]!))).toBe('the-platform-key');
  } finally {
    await app.close();
  }
});

it('has every column whose name ends as that of a sealed secret', async () => {
  const database = await testDatabase();
  try {
    const { rows } = await database.db.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name like '%sealed' and data_type = 'text'`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(
      SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
        .filter((name) => name.endsWith('sealed'))
        .sort(),
    );
  } finally {
    await database.close();
  }
});
