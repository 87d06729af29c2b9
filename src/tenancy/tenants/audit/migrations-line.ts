const ACTOR = JSON.stringify({ kind: 'system', id: 'system', name: 'migrate' });

/**
 * Adds the line of migrations that have run to the audit log of the installation.
 *
 * @param owner a connection of the owner of the tables: the service has none yet
 * @param names at least one
 */
export async function recordMigrations(
  owner: { query(text: string, values: unknown[]): Promise<unknown> },
  names: readonly string[],
): Promise<void> {
  await owner.query(
    `insert into installation_audit (actor, action, target_type, target_id, after)
     values ($1, 'schema.migrated', 'schema', $2, $3)`,
    [ACTOR, names.at(-1), JSON.stringify({ migrations: names })],
  );
}
