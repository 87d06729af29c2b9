import type { EncryptionKey } from '../crypto/seal.js';

export type Role = 'all' | 'api' | 'worker';

/** The settings of this process: read once before the start, frozen, and passed to the rooms as this class. */
export class Config {
  readonly port!: number;
  /** null for the embedded database. */
  readonly databaseUrl!: string | null;
  /** The address of the owner of the tables, for migrations; null for that of `databaseUrl`. */
  readonly migrationDatabaseUrl!: string | null;
  readonly databasePool!: number;
  readonly dataDir!: string;
  /** Without a slash at the end, like all addresses here. */
  readonly baseUrl!: string;
  readonly apiBaseUrl!: string;
  readonly appUrl!: string;
  readonly platform!: { readonly baseUrl?: string; readonly apiKey?: string; readonly forwarding: boolean };
  readonly sandbox!: { readonly enabled: 'auto' | 'on' | 'off'; readonly port: number };
  /** The first one seals; all of them open. */
  readonly encryptionKeys!: readonly EncryptionKey[];
  /** Seeds of the Ed25519 keys for heads of chains. The first one signs; the others verify. */
  readonly chainKeys!: readonly EncryptionKey[];
  readonly operatorToken!: string;
  readonly role!: Role;
  readonly logLevel!: string;
  readonly trustProxy!: readonly string[];
  /** Requests a second for each credential; null without a limit. */
  readonly rateLimit!: number | null;
  readonly announcesPagination!: boolean;
  /** Requests a second for each tenant; null for four times those of a credential. */
  readonly tenantRateLimit!: number | null;
  /** Bytes that a tenant may store, unless it has a limit of its own; null without a limit. */
  readonly tenantStorageLimit!: number | null;
  readonly allowPrivateDestinations!: boolean;
  /** Addresses or networks (CIDR) that destinations of tenants may be in beside the public Internet. */
  readonly destinationNetworks!: readonly string[];
  /** `ip` or `ip:port`; empty: the system's. */
  readonly dnsServers!: readonly string[];
  /** The pauses between the tries of a webhook message, in milliseconds. */
  readonly webhookRetries!: readonly number[];
  readonly ats!: {
    readonly clients: readonly { readonly provider: string; readonly id: string; readonly secret: string }[];
    readonly simulators: Readonly<Record<string, string>>;
  };
  /** The interview engine of tenants that have none of their own. */
  readonly interviewEngine!: { readonly baseUrl: string; readonly apiKey: string } | null;
  readonly session!: { readonly idleSeconds: number; readonly absoluteSeconds: number };
  readonly retention!: {
    readonly logsDays: number;
    readonly bodiesDays: number;
    readonly attemptsDays: number;
    readonly eventsDays: number;
  };
  readonly metrics!: { readonly port: number | null; readonly token: string | null };
  readonly production!: boolean;
  /** Names of the settings that lift a protection in production, because `ALLOW_UNSAFE` names them. */
  readonly unsafe!: readonly string[];

  constructor(values: { [K in keyof Config]: Config[K] }) {
    Object.assign(this, values);
    for (const part of [
      this.platform,
      this.sandbox,
      this.session,
      this.retention,
      this.metrics,
      this.trustProxy,
      this.dnsServers,
      this.destinationNetworks,
      this.webhookRetries,
      this.ats,
      this.unsafe,
    ])
      Object.freeze(part);
    for (const keys of [this.encryptionKeys, this.chainKeys]) {
      for (const key of keys) Object.freeze(key);
      Object.freeze(keys);
    }
    Object.freeze(this);
  }
}

/** Settings with which the service cannot start. Contains variables and rules, never values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly { variable: string; rule: string }[]) {
    super(`The settings are not valid:\n${problems.map((p) => `  ${p.variable} ${p.rule}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
