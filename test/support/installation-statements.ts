/** The statements of one file that have no tenant as their first parameter: what their text contains, and why. */
type Excused = readonly (readonly [contains: RegExp, reason: string])[];

const FIGURES = 'figures of the installation';
const KEYS = 'keys of the installation';
const MANY = 'what many requests have noted, of many tenants at once';
const NEXT = 'what is due next, of any tenant of this database; it is then claimed within its tenant';
const OPERATOR = 'the operator belongs to no tenant';
const SWEEP = 'old rows of all tenants of this database';
const UNKNOWN = 'asked before the tenant is known';

/**
 * The statements of the installation: all others have their tenant as `$1`, so that each tenant's use of the database is limited,
 * and a tenant can live in a database of its own. Each is about one database, and none locks the rows of many tenants for long.
 */
export const INSTALLATION_STATEMENTS: Readonly<Record<string, Excused>> = {
  'auth/connections/store.ts': [
    [/from connection_slugs s\b/, UNKNOWN],
    [/c\.settings ->> 'issuer' = \$1/, UNKNOWN],
  ],
  'auth/connections/domains/domains.store.ts': [[/from verified_domains v join domains d/, UNKNOWN]],
  'auth/connections/keys/service-keys.ts': [
    [/\bservice_keys\b/, KEYS],
    [/^select pg_advisory_xact_lock\(\$1::bigint\)$/, 'one process makes a key of the installation'],
  ],
  'auth/sign-in/browser-sessions/live-sessions.ts': [[/x\.tenant_id as of_tenant/, MANY]],
  'auth/sign-in/limits/sign-in-limits.ts': [[/\btries (as )?t\b/, 'an address belongs to no tenant']],
  'auth/sign-in/tokens/session-tokens.repository.ts': [[/unnest\(\$1::text\[\], \$2::bytea\[\]\) x/, MANY]],
  'base/sealing/reseal.ts': [
    [/as sealed from \w+ where \w+ is not null/, 'each stored secret is sealed anew'],
    [/^update \w+ set \w+_?sealed = \$1 where \w+ = \$2/, 'each stored secret is sealed anew'],
    [/^update webhook_secrets set sealed = \$1/, 'each stored secret is sealed anew'],
  ],
  'console/access/console-sessions.repository.ts': [
    [/\bconsole_(sessions|links)\b/, OPERATOR],
    [/^delete from console_\w+ where/, SWEEP],
  ],
  'directory-sync/directories/directory-marks.ts': [
    [/^insert into credential_hours as h .* from unnest\(\$1/, MANY],
    [/^update directories d set last_request_at/, MANY],
    [/usual_pause_seconds from directories where/, NEXT],
  ],
  'directory-sync/routes/role-tasks/role-tasks.ts': [[/from directories d where d\.deleted_at is not null/, NEXT]],
  'directory-sync/users/held/held.service.ts': [
    [/where u\.held = 'protected'/, NEXT],
    [/^select held, count/, FIGURES],
  ],
  'directory-sync/users/people/people-upkeep.ts': [
    [/^with recursive found as \( \(select tenant_id from users/, NEXT],
    [/delete from population_steps where ctid/, 'steps of all tenants of this database are folded together'],
  ],
  'engine/delivery/destinations/destination-states.repository.ts': [
    [/^select state, count\(\*\) as n from destinations/, FIGURES],
    [/^update destinations set .* returning tenant_id/, 'a restored database pauses all destinations'],
  ],
  'engine/delivery/lanes/read.ts': [[/^select (d\.waiting, p\.parked|o\.tenant_id, o\.oldest)/, FIGURES]],
  'engine/delivery/lanes/claim.ts': [[/^with recursive t as \( \(select l\.tenant_id/, NEXT]],
  'engine/events/events.service.ts': [
    [/^select t\.id, \(select e\.sequence from/, 'the floors of all tenants, when a month is dropped'],
    [/^insert into event_floors/, 'the floors of all tenants, when a month is dropped'],
    [/event_mark\(\$1\)/, 'what is committed in this database'],
  ],
  'engine/work/work-entries.repository.ts': [
    [/^with due \(kind, tenant_id, id, since, server\) as/, NEXT],
    [/^insert into work_entries .* from unnest/, 'the work of the installation'],
    [/^(update|delete from) work_entries /, 'the work of the installation has no tenant'],
    [/^select kind, nullif\(tenant_id/, FIGURES],
    [/^with asked as \( select \* from unnest/, MANY],
  ],
  'engine/work/work.engine.ts': [[/^select kind, count\(\*\) filter/, FIGURES]],
  'forwarding/statistics/accepted-changes.ts': [[/^with recursive found as \( \(select tenant_id from changes/, NEXT]],
  'integrations/ats/connections/ats-connections.store.ts': [[/\bats_token_hashes\b/, UNKNOWN]],
  'operations/retention.ts': [
    [/^select tenant_id, 'api_key' as kind/, NEXT],
    [/^(delete from|update) /, SWEEP],
    [/\b(make|drop)_month\(\$1|from pg_inherits i/, 'months of this database'],
  ],
  'operations/installation/installation.ts': [[/\b(processes|migrations|tenants)\b/, 'the installation itself']],
  'operations/metrics.ts': [[/as held from chain_heads/, FIGURES]],
  'operations/restore/restore-watch.ts': [[/\binstallation\b/, 'the row of the installation']],
  'operations/statistics.ts': [
    [
      /pg_stat_user_tables|analyze_table\(|pg_try_advisory_xact_lock\(72345028/,
      'the planner’s statistics of this database',
    ],
  ],
  'overview/requests/requests.repository.ts': [
    [/^(insert into request_sources|select s\.tenant_id, s\.source,) /, MANY],
    [/^insert into (requests|request_bodies) /, MANY],
  ],
  'seats/seats.repository.ts': [
    [/^select current_setting\('max_connections'\)/, 'a setting of this database'],
    [/^select tenant_id from seat_limits where mode = 'exact'/, NEXT],
  ],
  'start/first-run.ts': [
    [
      /pg_advisory_xact_lock\(7234502819\)|exists \(select 1 from tenants\) as any/,
      'one process makes the first tenant',
    ],
  ],
  'tenancy/ledger/chain-keys.ts': [[/\bchain_keys\b/, KEYS]],
  'tenancy/ledger/chain.ts': [
    [/^with recursive waiting as \( \(select tenant_id from/, NEXT],
    [/^select to_char\(clock_timestamp\(\)/, 'the clock of this database, inside a transaction of a tenant'],
  ],
  'tenancy/ledger/heads.repository.ts': [[/^select h\.tenant_id from chain_heads h/, NEXT]],
  'tenancy/sessions/sessions.repository.ts': [
    [
      /^select pg_advisory_xact_lock\(hashtextextended\(m, 0\)\)/,
      'locks by their names, inside a transaction of a tenant',
    ],
  ],
  'tenancy/tenants/api-key.store.ts': [[/^update api_keys k set last_refusal = r\.refusal from unnest/, MANY]],
  'tenancy/tenants/audit/audit.service.ts': [[/\binstallation_audit\b/, 'the log of the installation']],
  'tenancy/tenants/credential-cache.ts': [
    [/^select asked\.tenant_id as of_tenant, asked\.hash as of_hash, c\.\*/, MANY],
    [/ c set last_used_at = u\.at from unnest/, MANY],
  ],
  'tenancy/tenants/storage/storage.service.ts': [[/from tenant_storage\b/, FIGURES]],
  'tenancy/tenants/storage/storage.repository.ts': [
    [/^insert into tenant_storage as s .* from unnest\(\$1/, MANY],
    [/^select tenant_id from tenant_storage where state/, NEXT],
  ],
  'tenancy/tenants/tenant-addresses.ts': [[/from tenant_addresses$/, UNKNOWN]],
  'tenancy/tenants/tenants.repository.ts': [
    [/from tenants order by id limit 1/, 'the first tenant of the installation'],
    [/from tenants where \(\$1::text is null/, 'the list of tenants, for the operator'],
  ],
};

/** The statements of `base/database` itself, which serves all rooms. */
const OF_BASE: Excused = [[/^insert into storage_probe/, 'tries whether the disk has room']];

const CONTAINS = [...Object.values(INSTALLATION_STATEMENTS), OF_BASE].flatMap((excused) =>
  excused.map(([contains]) => contains),
);

/** Returns whether a text is a statement of the installation. Blanks do not count. */
export function isOfInstallation(text: string): boolean {
  const plain = text.replace(/\s+/g, ' ').trim();
  return CONTAINS.some((contains) => contains.test(plain));
}
