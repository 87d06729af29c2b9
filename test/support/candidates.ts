import type { TestApp } from './app.js';
import { fresh } from './scim.js';

/** The body of a candidate that no other one is like. */
export const candidate = (more: object = {}) => ({
  first_name: 'Zoë',
  last_name: 'Müller',
  email: `${fresh()}@x.example`,
  external_id: fresh('gh_'),
  ...more,
});

/** The events about a record, oldest first, with their data unchanged. */
export async function eventsOf(
  { db }: Pick<TestApp, 'db'>,
  tenantId: string,
  record: string,
): Promise<{ event: string; data: string }[]> {
  const { rows } = await db.query<{ event: string; data: string }>(
    `select event, data::text as data from events where tenant_id = $1 and record = $2 order by sequence`,
    [tenantId, record],
  );
  return rows.map(({ event, data }) => ({ event, data }));
}
