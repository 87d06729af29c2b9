import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { Logger } from '../base/log/logger.js';
import { systemActor } from '../identity/source.js';
import { SamlRefused } from '../saml/saml-refused.js';
import type { SamlConnection } from './connection.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

/** The minimum time between two reads of metadata after a wrong signature: any caller can send one. */
const EVERY_MS = 10 * 60_000;

/**
 * Accepts a new certificate of an IdP with the first message that it signs. When none of the pinned certificates made a
 * signature, the metadata is read again and the message is verified once more.
 */
@Injectable()
export class CertificateRenewal {
  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly refreshing: MetadataRefreshing,
    private readonly store: ConnectionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Verifies a message, once more after a refresh when its signature is by an unknown certificate.
   *
   * @param verify throws `signature_invalid` for a signature by none of the certificates, and then has no effect
   * @returns what was verified, and the connection as it is now
   * @throws {SamlRefused} as `verify`; with `signature_invalid`, also what the refresh found and which command helps
   */
  async verified<T>(
    connection: SamlConnection,
    verify: (connection: SamlConnection) => Promise<T>,
  ): Promise<{ connection: SamlConnection; result: T }> {
    try {
      return { connection, result: await verify(connection) };
    } catch (error) {
      if (!(error instanceof SamlRefused) || error.reason !== 'signature_invalid') throw error;
      const found = await this.lookAgain(connection, error.message);
      if (typeof found !== 'string') return { connection: found, result: await verify(found) };
      throw new SamlRefused('signature_invalid', `${error.message} ${found}`);
    }
  }

  /** Returns the connection when its certificates have changed; else what was found and which command helps. */
  private async lookAgain(known: SamlConnection, problem: string): Promise<SamlConnection | string> {
    const { tenantId, id } = known;
    const now = this.clock.now();
    const due = await this.repository.takeDoubted(tenantId, id, now, new Date(now.getTime() - EVERY_MS));
    const found = await (due === null ? this.present(known) : this.read(due, known));
    if (typeof found === 'string' && due !== null) {
      const fields = { tenant_id: tenantId, connection_id: id };
      this.logger.warn('connection.certificate_unknown', { ...fields, detail: `${problem} ${found}` });
    }
    return found;
  }

  private async read(row: ConnectionRow, known: SamlConnection): Promise<SamlConnection | string> {
    const address = row.type === 'saml' ? row.settings.metadata_url : null;
    if (address === null) return byHand(known.slug);
    const by = { tenantId: row.tenant_id, actor: systemActor('metadata refresh'), requestId: null };
    const result = await this.refreshing.refresh(by, row, address, false);
    switch (result.kind) {
      case 'unconfirmed':
        return `The metadata was read again and waits for an admin (${result.problem}): connection refresh-metadata ${known.slug} --confirm`;
      case 'failed':
        return `The metadata was read again without success (${result.problem}). After a correction: connection refresh-metadata ${known.slug}`;
      case 'gone':
      case 'done':
        return this.present(known);
    }
  }

  /** Returns the connection as another request or an administrator has changed it meanwhile. */
  private async present(known: SamlConnection): Promise<SamlConnection | string> {
    const row = await this.repository.find(known.tenantId, known.id);
    if (row?.type === 'saml' && row.version !== known.version) {
      await this.store.forget();
      const now = await this.store.byId(known.tenantId, known.id);
      if (now?.type === 'saml' && hasOther(now, known)) return now;
    }
    if (row?.type !== 'saml' || row.settings.metadata_url === null) return byHand(known.slug);
    return (
      row.metadata_problem ??
      `The metadata, read within the last ten minutes, names no other certificate. If the IdP has a new one: connection refresh-metadata ${known.slug}`
    );
  }
}

function hasOther(now: SamlConnection, known: SamlConnection): boolean {
  return now.certificates.some((one) => !known.certificates.includes(one));
}

function byHand(slug: string): string {
  return `The certificates were set by hand. If the IdP has a new one: connection set ${slug} --certificate-file <PEM file with all of them>`;
}
