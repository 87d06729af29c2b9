import type { InstallationBody } from '../../operations/installation/installation.dto.js';
import type { Json } from '../client/client.js';

/** Returns how the installation is doing as lines for a reader: one for each process, and for each tenant that waits. */
export function installationWords({ processes, migrations, lag }: InstallationBody): Json {
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
    ]) as Json),
  };
}
