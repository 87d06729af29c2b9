import { Injectable } from '@nestjs/common';
import { keyAad } from '../auth/connections/keys/service-keys.js';
import { Clock } from '../base/clock.js';
import { Sealer } from '../base/crypto/seal.js';
import { Database } from '../base/database/database.js';
import { Logger } from '../base/log/logger.js';
import { type SealedColumn, countSealed, type SealedCount } from '../base/sealing/reseal.js';
import { DESTINATION_KEYS } from '../engine/delivery/destinations/destinations.repository.js';
import { ATS_CREDENTIALS, ATS_SIGNING_SECRETS } from '../integrations/ats/connections/ats-connections.store.js';
import { WEBHOOK_HEADERS, WEBHOOK_SECRETS } from '../integrations/webhooks/endpoint.store.js';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  DESTINATION_KEYS,
  WEBHOOK_SECRETS,
  WEBHOOK_HEADERS,
  ATS_CREDENTIALS,
  ATS_SIGNING_SECRETS,
  {
    table: 'idempotency_keys',
    key: ['tenant_id', 'credential_id', 'key'],
    column: 'response',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:idempotency_keys.response:${row['credential_id']}`,
  },
  {
    table: 'idempotency_keys',
    key: ['tenant_id', 'credential_id', 'key'],
    column: 'committed',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:idempotency_keys.committed:${row['credential_id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'client_secret_sealed',
    lasting: true,
    aad: (row) => `${row['tenant_id']}:connections.client_secret:${row['id']}`,
  },
  {
    table: 'connections',
    key: ['tenant_id', 'id'],
    column: 'private_key_sealed',
    lasting: true,
    aad: (row) => `${row['tenant_id']}:connections.private_key:${row['id']}`,
  },
  {
    table: 'sessions',
    key: ['tenant_id', 'id'],
    column: 'id_token_sealed',
    lasting: false,
    aad: (row) => `${row['tenant_id']}:sessions.id_token:${row['id']}`,
  },
  {
    table: 'service_keys',
    key: ['purpose', 'id'],
    column: 'private_key_sealed',
    lasting: true,
    aad: (row) => keyAad(row['purpose']!, row['id']!),
  },
];

/** The time until the next check after a good result: another process can have another key. */
const GOOD_MS = 300_000;
/** The time until the next check after a failure: short, so that a repair shows soon. */
const BAD_MS = 5_000;

/**
 * Checks whether the keys of the settings open the stored secrets. Only lasting secrets are checked: stored answers
 * and id tokens of sessions expire, and count as absent where they do not open.
 */
@Injectable()
export class SealedSecrets {
  private looked: { until: number; trouble: Promise<SealedTrouble | null> } | null = null;
  private said = '';

  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Returns the secrets that do not open, cached for a moment, or null. Logs changes. */
  trouble(): Promise<SealedTrouble | null> {
    if (this.looked === null || this.clock.monotonic() >= this.looked.until) {
      const looked = { until: Infinity, trouble: this.look() };
      this.looked = looked;
      looked.trouble.then(
        (found) => (looked.until = this.clock.monotonic() + (found === null ? GOOD_MS : BAD_MS)),
        () => (this.looked = null),
      );
    }
    return this.looked.trouble;
  }

  private async look(): Promise<SealedTrouble | null> {
    const counts: SealedCount[] = [];
    for (const column of SEALED_COLUMNS) {
      if (column.lasting) counts.push(...(await countSealed(this.db, this.sealer, column)));
    }
    const trouble = troubleOf(counts, this.sealer.keyIds);
    this.tell(trouble);
    return trouble;
  }

  private tell(trouble: SealedTrouble | null): void {
    const news = trouble?.words ?? '';
    if (news === this.said) return;
    this.said = news;
    if (trouble === null) {
      this.logger.info('encryption keys open all stored secrets again', { key_ids: this.sealer.keyIds });
    } else {
      this.logger.error('encryption keys do not open all stored secrets', {
        key_ids: this.sealer.keyIds,
        unopened: trouble.unopened.map(({ column, keyId, unopened }) => ({ column, sealed_by: keyId, unopened })),
        detail: trouble.words,
      });
    }
  }
}

interface SealedTrouble {
  readonly unopened: readonly SealedCount[];
  /** A key is missing: none of its secrets opens. Otherwise single rows are damaged. */
  readonly keyMissing: boolean;
  readonly words: string;
}

function troubleOf(counts: readonly SealedCount[], keyIds: readonly string[]): SealedTrouble | null {
  const unopened = counts.filter((count) => count.unopened > 0);
  if (unopened.length === 0) return null;
  const opening = new Set(counts.filter(({ opened }) => opened > 0).map(({ keyId }) => keyId));
  const where = unopened.map(({ column, keyId, unopened: n }) => `${n} in ${column} (sealed by key ${keyId})`);
  const words =
    `No key of ENCRYPTION_KEY (${keyIds.join(', ')}) opens these stored secrets: ${where.join(', ')}. ` +
    'Put the key that sealed them into ENCRYPTION_KEY, after the current one, and restart. ' +
    'If that key is lost, see /docs/run/keys (A lost key).';
  return { unopened, keyMissing: unopened.some(({ keyId }) => !opening.has(keyId)), words };
}
