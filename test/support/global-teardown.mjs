/** Stops the PostgreSQL that the set-up started. */
export default async function teardown() {
  await globalThis.stopTestPostgres?.();
}
