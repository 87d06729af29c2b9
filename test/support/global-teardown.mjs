import pg from 'pg';

/** Stops the PostgreSQL that the set-up started; on a given one, drops the databases of the run. */
export default async function teardown() {
  if (globalThis.stopTestPostgres !== undefined) return globalThis.stopTestPostgres();
  const { TEST_DATABASE_URL: url, TEST_TEMPLATE: template } = process.env;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // The name of another run can begin with that of this one.
  const own = `select datname from pg_database where datname = $1 or starts_with(datname, $1 || '_')`;
  const { rows } = await client.query(own, [template]);
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  await client.end();
}
