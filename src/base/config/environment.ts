import { Matches } from 'class-validator';
import { isListOf, OneOf, Rule, HttpAddress, WholeNumber, Duration, KeyList, Size } from './setting-rules.js';

/** The variables that the service reads, with rule and meaning. No other part of the source reads the environment. */
export class Environment {
  /**
   * The port that the service listens on.
   * @defaultValue `3000`
   */
  @WholeNumber(0, 65_535)
  PORT?: string;

  /**
   * A PostgreSQL to use in place of the embedded one.
   * @defaultValue the embedded database
   */
  @Matches(/^postgres(ql)?:\/\/.+/, { message: 'must be a postgres:// address' })
  DATABASE_URL?: string;

  /**
   * The address of the owner of the tables, for migrations and grants. `DATABASE_URL` is then that of a plain role.
   * @defaultValue `DATABASE_URL`
   */
  @Matches(/^postgres(ql)?:\/\/.+/, { message: 'must be a postgres:// address' })
  MIGRATION_DATABASE_URL?: string;

  /**
   * Most database connections of one process. A quarter of them, at least one, is for searches.
   * @defaultValue `16`
   */
  @WholeNumber(2, 500)
  DATABASE_POOL?: string;

  /**
   * The folder of generated keys, generated credentials and the embedded database.
   * @defaultValue `.data`
   */
  @Rule('path', (text) => !text.includes('\0'), 'must be a path')
  DATA_DIR?: string;

  /**
   * The public address for tenants.
   * @defaultValue `http://localhost:<PORT>`
   */
  @HttpAddress()
  BASE_URL?: string;

  /**
   * The public address of the API, if it is another one.
   * @defaultValue `BASE_URL`
   */
  @HttpAddress()
  API_BASE_URL?: string;

  /**
   * The public address of the application that users use.
   * @defaultValue `BASE_URL`
   */
  @HttpAddress()
  APP_URL?: string;

  /**
   * The platform of the first tenant, if that tenant has no connection. The start logs when it is not used.
   * @defaultValue none
   */
  @HttpAddress()
  PLATFORM_API_BASE_URL?: string;

  /**
   * The credential for `PLATFORM_API_BASE_URL`.
   * @defaultValue none
   */
  @Rule('visible', (text) => /^[\x21-\x7e]+$/.test(text), 'must be visible ASCII characters without spaces')
  PLATFORM_API_KEY?: string;

  /**
   * `off`: changes are recorded and not forwarded, where this service is itself the system of record.
   * @defaultValue `on`
   */
  @OneOf('on', 'off')
  PLATFORM_FORWARDING?: string;

  /**
   * Whether the sandbox platform is served. `auto`: with the embedded database.
   * @defaultValue `auto`
   */
  @OneOf('auto', 'on', 'off')
  SANDBOX?: string;

  /**
   * The sandbox platform's port.
   * @defaultValue `3001`
   */
  @WholeNumber(0, 65_535)
  SANDBOX_PORT?: string;

  /**
   * The key of stored secrets: 32 bytes in base64, each with an id or not (`id:base64`), the current one first.
   * @defaultValue made once under `DATA_DIR`
   */
  @KeyList()
  ENCRYPTION_KEY?: string;

  /**
   * The seed of the Ed25519 key of both chains, the same for all processes, in the form of `ENCRYPTION_KEY`.
   * @defaultValue from `ENCRYPTION_KEY`
   */
  @KeyList()
  CHAIN_SIGNING_KEY?: string;

  /**
   * The installation's own credential.
   * @defaultValue made once under `DATA_DIR`
   */
  @Rule('operatorToken', (text) => /^[\x21-\x7e]{32,200}$/.test(text), 'must be 32 to 200 visible ASCII characters')
  OPERATOR_TOKEN?: string;

  /**
   * `api` only answers requests. `worker` does only background work; its port serves health and metrics.
   * @defaultValue `all`
   */
  @OneOf('all', 'api', 'worker')
  ROLE?: string;

  /**
   * The least important line that is logged.
   * @defaultValue `info`
   */
  @OneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  LOG_LEVEL?: string;

  /**
   * Addresses or networks of reverse proxies. `X-Forwarded-For` is read from these alone.
   * @defaultValue none
   */
  @Rule(
    'proxies',
    isListOf.proxies,
    'must be IP addresses or networks (CIDR) with commas between, and not all addresses (/0)',
  )
  TRUST_PROXY?: string;

  /**
   * Requests a second for each credential and process, with bursts of ten times that.
   * @defaultValue `100`
   */
  @Rule('rate', (text) => text === 'off' || /^[1-9]\d{0,6}$/.test(text), 'must be a whole number from 1, or off')
  RATE_LIMIT?: string;

  /**
   * Requests a second for each tenant and process, with bursts of ten times that. Off with `RATE_LIMIT=off`.
   * @defaultValue 4 × `RATE_LIMIT`
   */
  @WholeNumber(1, 9_999_999)
  RATE_LIMIT_TENANT?: string;

  /**
   * The bytes that each tenant may store, unless the operator has set a limit of its own for it. `off`: no limit.
   * @defaultValue `20GiB`
   */
  @Size()
  STORAGE_LIMIT_TENANT?: string;

  /**
   * The pauses between the tries of a webhook message, each spread by a fifth. `none`: one try.
   * @defaultValue `5s,5m,30m,2h,5h,10h,14h,20h,24h`
   */
  @Rule('pauses', isListOf.pauses, 'must be up to 20 durations such as 5s, 5m or 2h with commas between, or none')
  WEBHOOK_RETRIES?: string;

  /**
   * The name servers for host names of tenants: domains, IdPs, platforms, webhooks.
   * @defaultValue those of the system
   */
  @Rule('servers', isListOf.servers, 'must be IP addresses, each with a port or not, with commas between')
  DNS_SERVERS?: string;

  /**
   * How long a session lasts without use.
   * @defaultValue `60m`
   */
  @Duration()
  SESSION_IDLE?: string;

  /**
   * The longest life of a session.
   * @defaultValue `12h`
   */
  @Duration()
  SESSION_ABSOLUTE?: string;

  /**
   * Days for which sign-ins and SCIM requests are kept, in whole months, and ended sessions.
   * @defaultValue `180`
   */
  @WholeNumber(1, 3_650)
  RETENTION_LOGS?: string;

  /**
   * Days for which the attempts of deliveries are kept, in whole months.
   * @defaultValue `90`
   */
  @WholeNumber(1, 3_650)
  RETENTION_ATTEMPTS?: string;

  /**
   * Days for which events are kept, in whole months. A consumer of the feed that is further behind begins anew.
   * @defaultValue `90`
   */
  @WholeNumber(1, 3_650)
  RETENTION_EVENTS?: string;

  /**
   * `off` leaves `pagination` (RFC 9865) out of the ServiceProviderConfig. Cursors work all the same.
   * @defaultValue `on`
   */
  @OneOf('on', 'off')
  SCIM_PAGINATION?: string;

  /**
   * The port that serves `/metrics`, and nothing else. The service's own port then does not serve it.
   * @defaultValue none
   */
  @WholeNumber(0, 65_535)
  METRICS_PORT?: string;

  /**
   * The bearer token that `/metrics` needs.
   * @defaultValue none
   */
  @Rule('metricsToken', (text) => /^[\x21-\x7e]{16,200}$/.test(text), 'must be 16 to 200 visible ASCII characters')
  METRICS_TOKEN?: string;

  /**
   * `production`: no demo tenant, no sandbox, no value that lifts a protection; demands `ENCRYPTION_KEY` and an https `BASE_URL`.
   * @defaultValue none
   */
  @OneOf('production', 'development', 'test')
  NODE_ENV?: string;

  /**
   * For development: platforms, IdPs and webhooks of tenants can have plain http and private addresses.
   * @defaultValue `false`
   */
  @OneOf('true', 'false', 'on', 'off')
  ALLOW_PRIVATE_DESTINATIONS?: string;

  /**
   * Private networks (CIDR) in which destinations of tenants may be, and webhook endpoints also with plain http.
   * @defaultValue none
   */
  @Rule('networks', isListOf.addresses, 'must be IP addresses or networks (CIDR) with commas between')
  ALLOW_DESTINATION_NETWORKS?: string;

  /**
   * Variables whose value lifts a protection and is accepted in production all the same. Each is logged and exported.
   * @defaultValue none
   */
  @Rule('names', isListOf.names, 'must be names of variables with commas between')
  ALLOW_UNSAFE?: string;

  /**
   * The OAuth clients with which customers connect their ATS from its marketplace.
   * @defaultValue none
   */
  @Rule('clients', isListOf.clients, 'must be provider:client_id:client_secret, several with commas between')
  ATS_OAUTH_CLIENTS?: string;

  /**
   * For development: simulators of ATSs, which become the region `simulator` of their provider. Not in production.
   * @defaultValue none
   */
  @Rule('simulators', isListOf.simulators, 'must be provider=http://host:port, several with commas between')
  ATS_SIMULATORS?: string;

  /**
   * The interview engine of tenants that have set none of their own.
   * @defaultValue none
   */
  @HttpAddress()
  INTERVIEW_API_BASE_URL?: string;

  /**
   * The credential for `INTERVIEW_API_BASE_URL`; it has to be set with it.
   * @defaultValue none
   */
  @Rule('visible', (text) => /^[\x21-\x7e]+$/.test(text), 'must be visible ASCII characters without spaces')
  INTERVIEW_API_KEY?: string;

  /**
   * Days for which the bodies of inbound events of an ATS and of SCIM requests are kept, in whole months.
   * @defaultValue `30`
   */
  @WholeNumber(1, 3_650)
  RETENTION_BODIES?: string;
}

/** Variables of the operating system that a program needs; none is a setting of this service. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  // On Windows programs need these to find libraries and temporary files.
  'SystemRoot',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
] as const;

/**
 * Returns the environment of a child process: a fixed list of variables, and named values. Every user who can read
 * `/proc/<pid>/environ` sees it, so it never contains keys, tokens or the database address of the service.
 *
 * @param told values for the child
 */
export function childEnvironment(told: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...told };
}
