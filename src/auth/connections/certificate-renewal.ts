import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Logger } from '../../base/log/logger.js';
import { systemActor } from '../../tenancy/identity/person.js';
import { SamlRefused } from '../../protocols/saml/saml-refused.js';
import type { SamlConnection } from './connection.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { MetadataDoubtsRepository } from './metadata-doubts.repository.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

/** Looks at a reading of another process, and the pause between two of them: longer than a reading takes. */
const LOOKS = 60;
const LOOK_MS = 200;
/** Messages that wait for a reading of one connection in this process. An honest renewal meets a few of them. */
const MAX_WAITING = 100;
const UNFINISHED = 'The metadata is being read and has not answered yet.';

/**
 * Accepts a new certificate of an IdP with the first message that it signs. When none of the pinned certificates made a
 * signature, the metadata is read again and the message is verified once more. Messages that come while it is being read
 * wait for that reading, also for one of another process.
 */
@Injectable()
export class CertificateRenewal {
  private readonly underWay = new Map<string, { found: Promise<string>; waiting: number }>();

  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly doubts: MetadataDoubtsRepository,
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
    const present = await this.renewed(known);
    if (present !== null) return present;
    const found = await this.shared(known, problem);
    return (await this.renewed(known)) ?? found;
  }

  /** Waits for the look that is under way in this process, or takes one. */
  private async shared(known: SamlConnection, problem: string): Promise<string> {
    const key = `${known.tenantId} ${known.id}`;
    const present = this.underWay.get(key);
    if (present !== undefined) return present.waiting++ < MAX_WAITING ? present.found : UNFINISHED;
    const found = this.look(known, problem).finally(() => this.underWay.delete(key));
    this.underWay.set(key, { found, waiting: 0 });
    return found;
  }

  /** Reads the metadata, or waits until another process has read it; returns what was found. */
  private async look(known: SamlConnection, problem: string): Promise<string> {
    const { tenantId, id } = known;
    const now = this.clock.now();
    const due = await this.doubts.take(tenantId, id, now);
    if (due === null) return this.awaitOther(known);
    const found = await this.read(due, known).finally(() => this.doubts.end(tenantId, id, now));
    if ((await this.renewed(known)) === null) {
      const fields = { tenant_id: tenantId, connection_id: id };
      this.logger.warn('connection.certificate_unknown', { ...fields, detail: `${problem} ${found}` });
    }
    return found;
  }

  private async awaitOther(known: SamlConnection): Promise<string> {
    const { tenantId, id } = known;
    for (let look = 1; await this.doubts.isUnderWay(tenantId, id, this.clock.now()); look++) {
      if (look === LOOKS) return UNFINISHED;
      await setTimeout(LOOK_MS);
    }
    const row = await this.repository.find(tenantId, id);
    return row?.type === 'saml' && row.settings.metadata_url !== null && row.metadata_problem !== null
      ? `The metadata was read and not taken over (${row.metadata_problem}). After a correction: connection refresh-metadata ${known.slug}`
      : this.unchanged(row, known.slug);
  }

  private async read(row: ConnectionRow, known: SamlConnection): Promise<string> {
    const address = row.type === 'saml' ? row.settings.metadata_url : null;
    if (address === null) return byHand(known.slug);
    const by = { tenantId: row.tenant_id, actor: systemActor('metadata refresh'), requestId: null };
    const result = await this.refreshing.refresh(by, row, address, false);
    switch (result.kind) {
      case 'unconfirmed':
        return `The metadata was read again and waits for an admin (${result.problem}): connection refresh-metadata ${known.slug} --confirm`;
      case 'failed':
        return `The metadata was read again without success (${result.problem}). After a correction: connection refresh-metadata ${known.slug}`;
      case 'done':
        if (result.changed) this.tell(row);
        return this.unchanged(row, known.slug);
      case 'gone':
        return this.unchanged(row, known.slug);
    }
  }

  private tell({ tenant_id, id }: ConnectionRow): void {
    this.logger.info('connection.metadata_changed', { tenant_id, connection_id: id });
  }

  private unchanged(row: ConnectionRow | null, slug: string): string {
    if (row?.type !== 'saml' || row.settings.metadata_url === null) return byHand(slug);
    return `The metadata, read within the last ten minutes, names no other certificate. If the IdP has a new one: connection refresh-metadata ${slug}`;
  }

  /** Returns the connection with a certificate that it did not have before; null: it has none. */
  private async renewed(known: SamlConnection): Promise<SamlConnection | null> {
    const row = await this.repository.find(known.tenantId, known.id);
    if (row?.type !== 'saml' || row.version === known.version) return null;
    await this.store.forget();
    const now = await this.store.byId(known.tenantId, known.id);
    return now?.type === 'saml' && hasOther(now, known) ? now : null;
  }
}

function hasOther(now: SamlConnection, known: SamlConnection): boolean {
  return now.certificates.some((one) => !known.certificates.includes(one));
}

function byHand(slug: string): string {
  return `The certificates were set by hand. If the IdP has a new one: connection set ${slug} --certificate-file <PEM file with all of them>`;
}
