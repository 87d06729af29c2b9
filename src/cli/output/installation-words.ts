import type { InstallationBody } from '../../operations/installation/installation.dto.js';
import type { Json } from '../client/client.js';

/**
 * Returns how the installation is doing as lines for a reader: one for each process, each
 * tenant that waits, and each piece of background work that runs or has failed.
 */
export function installationWords({ processes, migrations, lag, work }: InstallationBody): Json {
  const lines = (name: string, texts: readonly string[]) => texts.map((text, place) => [`${name}_${place + 1}`, text]);
  return {
    migration: migrations[0] ?? null,
    ...(Object.fromEntries([
      ...lines(
        'process',
        processes.map(
          ({ name, role, version, last_seen_at }) => `${name} ${role} ${version}, seen ${String(last_seen_at)}`,
        ),
      ),
      ...lines(
        'waits',
        lag.map(
          ({ name, tenant_id, waiting, oldest_waiting_since: since }) =>
            `${name ?? ''} ${tenant_id}: ${waiting} since ${String(since)}`,
        ),
      ),
      ...lines(
        'work',
        work
          .filter(({ state, failures }) => state === 'running' || failures > 0)
          .map(({ kind, tenant_id, id, state, failures, reason }) =>
            [kind, tenant_id, id, state, failures > 0 ? `${failures} failures: ${reason ?? ''}` : null]
              .filter((text) => text !== null)
              .join(' '),
          ),
      ),
    ]) as Json),
  };
}
