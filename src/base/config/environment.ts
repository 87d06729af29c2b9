import { Matches } from 'class-validator';
import {
  Duration,
  HttpAddress,
  isAddressList,
  isKeyList,
  isServerList,
  OneOf,
  Rule,
  WholeNumber,
} from './setting-rules.js';

/** Every variable that the service reads, its rule and its meaning. Nothing else in the source reads the environment. */
export class Environment {
  /** The port that the service listens on. Default 3000. */
  @WholeNumber(0, 65_535)
  PORT?: string;

  /** A PostgreSQL to use in place of the embedded one. */
  @Matches(/^postgres(ql)?:\/\/.+/, { message: 'must be a postgres:// address' })
  DATABASE_URL?: string;

  /**
   * The address of the owner of the tables, for migrations and grants. DATABASE_URL then is that of a plain role.
   * Default: migrations run by DATABASE_URL.
   */
  @Matches(/^postgres(ql)?:\/\/.+/, { message: 'must be a postgres:// address' })
  MIGRATION_DATABASE_URL?: string;

  /** The most connections that one process opens to the database. Default 16. */
  @WholeNumber(2, 500)
  DATABASE_POOL?: string;

  /** Where the service keeps what it made for itself (keys, credentials, the embedded database). Default `.data`. */
  @Rule('path', (text) => !text.includes('\0'), 'must be a path')
  DATA_DIR?: string;

  /** The tenant-facing address, as the outside sees it. Default: where the process listens. */
  @HttpAddress()
  BASE_URL?: string;

  /** The address of the API host, if it is another one. */
  @HttpAddress()
  API_BASE_URL?: string;

  /** The public address of the application that people use. */
  @HttpAddress()
  APP_URL?: string;

  /**
   * `off`: the ServiceProviderConfig has no `pagination` (RFC 9865), for clients that refuse attributes that they do not
   * know. Cursors work all the same. Default `on`.
   */
  @OneOf('on', 'off')
  SCIM_PAGINATION?: string;

  /** The hiring platform's API, for tenants that have no destination of their own. */
  @HttpAddress()
  PLATFORM_API_BASE_URL?: string;

  /** The credential for it. */
  @Rule('visible', (text) => /^[\x21-\x7e]+$/.test(text), 'must be visible ASCII characters without spaces')
  PLATFORM_API_KEY?: string;

  /** `off`: changes are recorded and not forwarded, for those for whom this service is itself the record. */
  @OneOf('on', 'off')
  PLATFORM_FORWARDING?: string;

  /** Whether the stand-in for the platform is served. Default: with the demo tenant. */
  @OneOf('auto', 'on', 'off')
  SANDBOX?: string;

  /** The stand-in's port. Default 3001. */
  @WholeNumber(0, 65_535)
  SANDBOX_PORT?: string;

  /**
   * The key of the secrets at rest: 32 bytes in base64, or several with commas between, the current one first. Each may
   * have an id (`id:base64`). Made once under DATA_DIR when absent, except in production.
   */
  @Rule(
    'keys',
    isKeyList,
    'must be 32 bytes in base64, or several keys with commas between, each with an id (id:base64) or without, none twice',
  )
  ENCRYPTION_KEY?: string;

  /**
   * The seed of the Ed25519 key that heads of the chains are signed with: 32 bytes in base64, or several with commas
   * between, the current one first; each may have an id (`id:base64`). Derived from ENCRYPTION_KEY when absent, since all processes of an
   * installation share that one.
   */
  @Rule(
    'keys',
    isKeyList,
    'must be 32 bytes in base64, or several keys with commas between, each with an id (id:base64) or without, none twice',
  )
  CHAIN_SIGNING_KEY?: string;

  /** The installation's own credential. Made once under DATA_DIR when absent. */
  @Rule('operatorToken', (text) => /^[\x21-\x7e]{32,200}$/.test(text), 'must be 32 to 200 visible ASCII characters')
  OPERATOR_TOKEN?: string;

  /** What this process does: everything, only answering requests, or only background work. */
  @OneOf('all', 'api', 'worker')
  ROLE?: string;

  /** The least important line that is still logged. Default `info`. */
  @OneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  LOG_LEVEL?: string;

  /** The proxies in front of the service; from them alone is X-Forwarded-For believed. */
  @Rule('addresses', isAddressList, 'must be IP addresses or networks (CIDR) with commas between')
  TRUST_PROXY?: string;

  /** Requests a second for each credential and process, or `off`. Default 100; bursts may be ten times that. */
  @Rule('rate', (text) => text === 'off' || /^[1-9]\d{0,6}$/.test(text), 'must be a whole number from 1, or off')
  RATE_LIMIT?: string;

  /** Requests a second for each tenant and process, over all of its credentials. Default 4 times RATE_LIMIT. */
  @WholeNumber(1, 9_999_999)
  RATE_LIMIT_TENANT?: string;

  /** For development: targets that tenants name may be plain http and private addresses. */
  @OneOf('true', 'false', 'on', 'off')
  ALLOW_PRIVATE_DESTINATIONS?: string;

  /** The name servers for names that tenants bring: their domains, IdPs and platforms. Default: the system's. */
  @Rule('servers', isServerList, 'must be IP addresses, each with a port or not (192.0.2.1:53), with commas between')
  DNS_SERVERS?: string;

  /** How long a session lasts without use. Default 60m. */
  @Duration()
  SESSION_IDLE?: string;

  /** How long a session lasts at the most. Default 12h. */
  @Duration()
  SESSION_ABSOLUTE?: string;

  /** Days for which the provisioning log is kept. Default 90. */
  @WholeNumber(1, 3_650)
  RETENTION_LOGS?: string;

  /** Days for which bodies of requests and answers are kept. Default 30. */
  @WholeNumber(1, 3_650)
  RETENTION_BODIES?: string;

  /** Days for which the attempts of deliveries are kept. Default 90. */
  @WholeNumber(1, 3_650)
  RETENTION_ATTEMPTS?: string;

  /** The port that serves `/metrics`, and nothing else; the service's own port then does not. Default: none. */
  @WholeNumber(0, 65_535)
  METRICS_PORT?: string;

  /** The bearer token that `/metrics` needs. Default: none. */
  @Rule('metricsToken', (text) => /^[\x21-\x7e]{16,200}$/.test(text), 'must be 16 to 200 visible ASCII characters')
  METRICS_TOKEN?: string;

  /** `production` makes no demo tenant and no sandbox, and refuses settings that are unsafe in public. */
  @OneOf('production', 'development', 'test')
  NODE_ENV?: string;
}

/** The names of all variables, in the order in which they are written above. */
export const VARIABLES = [
  'PORT',
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'DATABASE_POOL',
  'DATA_DIR',
  'BASE_URL',
  'API_BASE_URL',
  'APP_URL',
  'PLATFORM_API_BASE_URL',
  'PLATFORM_API_KEY',
  'PLATFORM_FORWARDING',
  'SANDBOX',
  'SANDBOX_PORT',
  'ENCRYPTION_KEY',
  'CHAIN_SIGNING_KEY',
  'OPERATOR_TOKEN',
  'ROLE',
  'LOG_LEVEL',
  'TRUST_PROXY',
  'RATE_LIMIT',
  'RATE_LIMIT_TENANT',
  'ALLOW_PRIVATE_DESTINATIONS',
  'DNS_SERVERS',
  'SESSION_IDLE',
  'SESSION_ABSOLUTE',
  'RETENTION_LOGS',
  'RETENTION_BODIES',
  'RETENTION_ATTEMPTS',
  'SCIM_PAGINATION',
  'METRICS_PORT',
  'METRICS_TOKEN',
  'NODE_ENV',
] as const satisfies readonly (keyof Environment)[];

type Missing = Exclude<keyof Environment, (typeof VARIABLES)[number]>;
/** Does not compile when a variable is described above and left out of the list. */
export const allVariablesListed: Missing extends never ? true : never = true;
