import { prepareDatabase } from '../../start/database-access.js';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { columns, given, numbers, type Command } from '../command/command.js';
import { stateWord } from './platform.js';
import type { InstallationBody } from '../../operations/installation/installation.dto.js';
import { installationWords } from '../output/installation-words.js';
import { storageWords } from './storage.js';

/** The answer of `GET /status`. */
interface TenantStatus {
  destination: { state: string };
  waiting: number;
  oldest_waiting_since: string | null;
  rate: { last_5_minutes: number };
  estimated_end: string | null;
  parked: Record<string, number>;
  held: Record<string, number>;
  guard: { held: number };
  last_event: { event: string; at: string } | null;
}

/** Returns the state of a tenant as fields of `status`. */
function words({ destination, waiting, parked, held, guard, ...state }: TenantStatus, isJson: boolean): Json {
  const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, n) => sum + n, 0);
  const named = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([reason, n]) => `${n} ${reason}`)
      .join(', ');
  return {
    platform: isJson ? destination.state : stateWord(destination.state),
    waiting,
    waiting_since: state.oldest_waiting_since,
    rate_per_minute: state.rate.last_5_minutes,
    estimated_end: state.estimated_end,
    parked: total(parked),
    parked_reasons: isJson ? parked : named(parked),
    held: total(held),
    held_reasons: isJson ? held : named(held),
    held_by_guard: guard.held,
    last_event: state.last_event === null ? null : `${state.last_event.event} at ${state.last_event.at}`,
  };
}

/** The answer of `GET /overview`. */
interface Overview extends TenantStatus {
  seats: { used: number; limit: number | null; waiting: number };
  directories: { name: string; last_request_at: string | null; last_refusal: { reason: string } | null }[];
  expiries: { kind: string; name: string; expires_at: string }[];
  first_steps: Record<string, boolean>;
}

/** Returns what needs attention as fields of `overview`. */
function overviewWords({ seats, directories, expiries, first_steps, ...status }: Overview): Json {
  const open = Object.entries(first_steps).flatMap(([step, isDone]) => (isDone ? [] : [step]));
  return {
    ...words(status, false),
    seats: `${seats.used} of ${seats.limit ?? 'no limit'}, ${seats.waiting} waiting`,
    directories: directories
      .map(({ name, last_request_at }) => `${name} (${last_request_at ?? 'no request'})`)
      .join(', '),
    refused: directories
      .flatMap(({ name, last_refusal: r }) => (r === null ? [] : [`${name}: ${r.reason}`]))
      .join(', '),
    ends_soon: expiries.map(({ kind, name, expires_at }) => `${kind} ${name} at ${expires_at}`).join(', '),
    first_steps_open: open.join(', '),
  };
}

export const SERVICE_COMMANDS: Command[] = [
  {
    noun: 'status',
    verb: '',
    description: 'Shows whether the service is up and ready, and how a tenant is doing',
    async run({ client, options }) {
      const up = await client.open('/healthz');
      const ready = await client.open<{ status?: string; reason?: string }>('/readyz');
      const status: Json = {
        url: client.url,
        up: up.status === 200,
        ready: ready.status === 200 ? true : (ready.body?.reason ?? false),
      };
      if (ready.status !== 200 || !client.hasKey) return status;
      const me = await client.call<{ tenant: { id: string; name: string } }>('GET', '/me');
      const seats = await client.call('GET', '/seats');
      const storage = await client.call('GET', '/storage').catch(() => null);
      const state = await client.call<TenantStatus>('GET', '/status').catch(() => null);
      return {
        ...status,
        tenant_id: me.tenant.id,
        tenant: me.tenant.name,
        directories: (await client.list('/directories')).length,
        seats_used: seats['used'],
        seats_limit: seats['limit'],
        seats_waiting: seats['waiting'],
        storage: storage === null ? null : options['json'] === true ? storage['state'] : storageWords(storage),
        ...(state === null ? {} : words(state, options['json'] === true)),
      };
    },
  },
  {
    noun: 'overview',
    verb: '',
    description: 'Shows what needs attention, credentials that end soon, and the first steps of a tenant',
    async run({ client, options }) {
      const overview = await client.call<Overview>('GET', '/overview');
      return options['json'] === true ? (overview as unknown as Json) : overviewWords(overview);
    },
  },
  {
    noun: 'keys',
    verb: 'rotate',
    description: 'Seals all secrets with the first key of ENCRYPTION_KEY; then the old keys can go',
    run: ({ client }) => client.operate('POST', '/tenants/keys/rotate', {}),
  },
  {
    noun: 'keys',
    verb: 'rotate-signing',
    description: 'Makes the next key that tokens (jwt) or SAML messages (saml) are signed with',
    options: [
      { name: 'purpose', description: 'jwt or saml', required: true },
      { name: 'active_in_seconds', description: 'when it takes over: 600 (jwt) or 30 days (saml) unless set' },
      { name: 'retire_old', description: 'the one before was stolen: it is worth nothing from now on', flag: true },
    ],
    async run(context) {
      const body = {
        ...given(context, 'purpose'),
        ...numbers(context, 'active_in_seconds'),
        ...(context.options['retire_old'] ? { retire_old: true } : {}),
      };
      const { keys } = await context.client.operate<{ keys: Json[] }>('POST', '/tenants/keys/signing/rotate', body);
      return columns(keys, 'id', 'purpose', 'active_from', 'retired_at');
    },
  },
  {
    noun: 'installation',
    verb: 'show',
    description: 'Shows processes, the newest migration, and the tenants whose changes wait longest (operator token)',
    async run({ client, options }) {
      const found = await client.operate<InstallationBody>('GET', '/installation');
      return options['json'] === true ? { ...found } : installationWords(found);
    },
  },
  {
    noun: 'installation',
    verb: 'audit',
    description: 'Lists acts of the operator that concern no tenant, newest first (operator token)',
    async run({ client, options }) {
      const rows = await client.list('/installation/audit', 1_000, true);
      return options['json'] === true ? rows : columns(rows, 'at', 'action', 'target_type', 'target_id', 'request_id');
    },
  },
  {
    noun: 'migrate',
    verb: '',
    description: 'Brings the schema up to date and grants the role of DATABASE_URL what the service needs',
    async run({ env }) {
      const databaseUrl = env['DATABASE_URL'];
      if (!databaseUrl) {
        throw new CliError('DATABASE_URL is not set; the embedded database is migrated with every start.', EXIT.usage);
      }
      const access = await prepareDatabase(databaseUrl, env['MIGRATION_DATABASE_URL'] || null);
      return { migrated: [...access.migrated], role: access.role, as_owner: access.asOwner };
    },
  },
];
