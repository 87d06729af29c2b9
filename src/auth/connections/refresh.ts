import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../base/work/work.js';
import { EventsRepository } from '../../engine/events/events.service.js';
import { OidcProtocol } from '../../protocols/oidc/oidc.protocol.js';
import { SamlRefused } from '../../protocols/saml/saml-refused.js';
import { systemActor } from '../../tenancy/identity/person.js';
import type { AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import type { ConnectionBody, ConnectionCheckBody } from './bodies.dto.js';
import type { SamlConnection } from './connection.js';
import { MetadataNeedsConfirmation, NotCheckable } from './errors.js';
import { MetadataSource } from './metadata.js';
import { idpFromMetadata, needsConfirmation } from './metadata.rules.js';
import { type ConnectionRow, ConnectionsRepository, DUE_METADATA } from './repository.js';
import { expiryNotes } from './saml.rules.js';
import { ConnectionsService, changedMeanwhile } from './service.js';
import { offeredLogout } from './shape.mapping.js';
import { ConnectionStore } from './store.js';

/** Looks at a reading of another process, with pauses: together longer than a reading takes. */
const LOOKS = 60;
const LOOK_MS = 200;
/** Messages that wait for a reading of one connection in this process. An honest renewal meets a few of them. */
const MAX_WAITING = 100;
const UNFINISHED = 'The metadata is being read and has not answered yet.';

type Refreshed =
  | { kind: 'done'; row: ConnectionRow; changed: boolean }
  | { kind: 'unconfirmed'; problem: string }
  | { kind: 'failed'; problem: string }
  | { kind: 'gone' };

/**
 * Reads the metadata of connections again, and takes over what needs no confirmation.
 *
 * Records as events which pinned certificates will expire, and which metadata waits for an administrator.
 *
 * Accepts a new certificate of an IdP with the first message that it signs: when none of the pinned certificates made a
 * signature, the metadata is read again and the message is verified once more. Messages that arrive during that reading wait
 * for it, also when another process reads.
 */
@Injectable()
export class MetadataRefreshing {
  private readonly underWay = new Map<string, { found: Promise<string>; waiting: number }>();

  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly connections: ConnectionsService,
    private readonly source: MetadataSource,
    private readonly store: ConnectionStore,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
    private readonly oidc: OidcProtocol,
  ) {}

  /**
   * Refreshes a connection. A failure, and a change without its confirmation, is only noted as `metadata_problem`. `gone`: the
   * connection was changed or deleted since `known` was read.
   *
   * @param confirmed whether an administrator accepts any change
   */
  async refresh(by: AuditBy, known: ConnectionRow, address: string, confirmed: boolean): Promise<Refreshed> {
    if (known.type !== 'saml') return { kind: 'gone' };
    const { idp_entity_id: entityId, metadata_certificates } = known.settings;
    const owner = { tenantId: known.tenant_id, id: known.id };
    const wanted = { entityId, signers: metadata_certificates.map(({ pem }) => pem), owner };
    let read = await this.source.fetch(address, wanted);
    // The document may describe one other IdP now, which an administrator has to confirm.
    if ('problem' in read && read.xml !== undefined) {
      const other = await this.source.read(read.xml, { ...wanted, entityId: null });
      if ('metadata' in other) read = other;
    }
    const result = await this.db.transaction(known.tenant_id, async (tx): Promise<Refreshed> => {
      const row = await this.repository.find(known.tenant_id, known.id, tx, true);
      if (row?.type !== 'saml' || row.version !== known.version) return { kind: 'gone' };
      const now = this.clock.now();
      await this.record(known, now);
      const allowance = { allowPrivate: this.config.allowPrivateDestinations };
      const found = 'problem' in read ? read : idpFromMetadata(read.metadata, row.settings, now, allowance);
      if ('problem' in found) {
        await this.repository.noteLook(tx, row, now, found.problem);
        return { kind: 'failed', problem: found.problem };
      }
      const doubt = needsConfirmation(row.settings, found.idp);
      if (doubt !== null && !confirmed) {
        await this.repository.noteLook(tx, row, now, doubt);
        await this.metadataWaits(tx, row, doubt);
        return { kind: 'unconfirmed', problem: doubt };
      }
      await this.repository.noteLook(tx, row, now, null);
      const looked = { ...row, metadata_checked_at: now, metadata_problem: null };
      const after = await this.connections.saveConnection(tx, by, looked, {
        ...looked,
        settings: { ...row.settings, ...found.idp },
      });
      return { kind: 'done', row: after, changed: after.version !== row.version };
    });
    await this.store.forget();
    return result;
  }

  /** Records the marks that certificates have passed since the last look, which `row` has. */
  async record(row: ConnectionRow, now: Date): Promise<void> {
    if (row.type !== 'saml') return;
    for (const { fingerprint, not_after, days } of expiryNotes(
      row.settings.certificates,
      row.metadata_checked_at,
      now,
    )) {
      const data = { connection_id: row.id, fingerprint, not_after: not_after.toISOString(), days };
      this.logger.warn(days === 0 ? 'connection.certificate_expired' : 'connection.certificate_expiring', {
        tenant_id: row.tenant_id,
        ...data,
      });
      const threshold = `${row.id} ${fingerprint} ${days}`;
      await this.events.record(row.tenant_id, [{ event: 'connection.certificate_expiring', data, threshold }]);
    }
  }

  /** Records that metadata waits for an administrator: once for each reason, and again after a look without a problem. */
  private async metadataWaits(tx: SqlRunner, row: ConnectionRow, problem: string): Promise<void> {
    if (row.metadata_problem === problem) return;
    const data = { connection_id: row.id, problem };
    await this.events.record(row.tenant_id, [{ event: 'connection.metadata_waiting', data }], tx);
  }

  /**
   * Verifies a message, once more after a refresh when its signature is by an unknown certificate.
   *
   * @param verify throws `signature_invalid` for a signature by none of the certificates, and then has no effect
   * @returns the verified result, and the present connection
   * @throws {SamlRefused} as `verify`; with `signature_invalid`, also the finding of the refresh and the command that helps
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

  /** Returns the connection when its certificates have changed; else the finding and the command that helps. */
  private async lookAgain(known: SamlConnection, problem: string): Promise<SamlConnection | string> {
    const present = await this.renewed(known);
    if (present !== null) return present;
    const found = await this.shared(known, problem);
    return (await this.renewed(known)) ?? found;
  }

  private async shared(known: SamlConnection, problem: string): Promise<string> {
    const key = `${known.tenantId} ${known.id}`;
    const present = this.underWay.get(key);
    if (present !== undefined) return present.waiting++ < MAX_WAITING ? present.found : UNFINISHED;
    const found = this.look(known, problem).finally(() => this.underWay.delete(key));
    this.underWay.set(key, { found, waiting: 0 });
    return found;
  }

  private async look(known: SamlConnection, problem: string): Promise<string> {
    const { tenantId, id } = known;
    const now = this.clock.now();
    const due = await this.repository.takeDoubt(tenantId, id, now);
    if (due === null) return this.awaitOther(known);
    const found = await this.read(due, known).finally(() => this.repository.endDoubt(tenantId, id, now));
    if ((await this.renewed(known)) === null) {
      const fields = { tenant_id: tenantId, connection_id: id };
      this.logger.warn('connection.certificate_unknown', { ...fields, detail: `${problem} ${found}` });
    }
    return found;
  }

  private async awaitOther(known: SamlConnection): Promise<string> {
    const { tenantId, id } = known;
    for (let look = 1; await this.repository.isDoubtUnderWay(tenantId, id, this.clock.now()); look++) {
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
    const result = await this.refresh(by, row, address, false);
    switch (result.kind) {
      case 'unconfirmed':
        return `The metadata was read again and waits for an admin (${result.problem}): connection refresh-metadata ${known.slug} --confirm`;
      case 'failed':
        return `The metadata was read again without success (${result.problem}). After a correction: connection refresh-metadata ${known.slug}`;
      case 'done':
        if (result.changed) {
          this.logger.info('connection.metadata_changed', { tenant_id: row.tenant_id, connection_id: row.id });
        }
        return this.unchanged(row, known.slug);
      case 'gone':
        return this.unchanged(row, known.slug);
    }
  }

  private unchanged(row: ConnectionRow | null, slug: string): string {
    if (row?.type !== 'saml' || row.settings.metadata_url === null) return byHand(slug);
    return `The metadata, read within the last ten minutes, names no other certificate. If the IdP has a new one: connection refresh-metadata ${slug}`;
  }

  /** Returns the connection with a certificate that `known` does not have; null when there is none. */
  private async renewed(known: SamlConnection): Promise<SamlConnection | null> {
    const row = await this.repository.find(known.tenantId, known.id);
    if (row?.type !== 'saml' || row.version === known.version) return null;
    await this.store.forget();
    const now = await this.store.byId(known.tenantId, known.id);
    return now?.type === 'saml' && hasOther(now, known) ? now : null;
  }

  /**
   * @throws {MetadataNeedsConfirmation} for another IdP or none of the known keys, unless confirmed
   * @throws {InvalidFields} when the metadata cannot be read or has expired
   */
  async refreshMetadata(by: AuditBy, id: string, confirmed: boolean): Promise<ConnectionBody> {
    const row = await this.connections.demand(by.tenantId, id);
    const address = row.type === 'saml' ? row.settings.metadata_url : null;
    if (address === null) throw invalid('metadata_url', 'is not set');
    const result = await this.refresh(by, row, address, confirmed);
    if (result.kind === 'gone') throw changedMeanwhile();
    if (result.kind === 'unconfirmed') throw new MetadataNeedsConfirmation(result.problem);
    if (result.kind === 'failed') throw invalid('metadata_url', result.problem);
    return this.connections.shape(result.row);
  }

  /** Checks the IdP of an OIDC connection without a sign-in, past the caches. */
  async check(tenantId: string, id: string): Promise<ConnectionCheckBody> {
    await this.connections.demand(tenantId, id);
    const connection = await this.store.byId(tenantId, id);
    if (connection === null) throw new NotFound('connection');
    if (connection.type !== 'oidc') throw new NotCheckable();
    const result = await this.oidc.check(connection);
    return result.ok
      ? { ok: true, problem: null, keys: result.keys, logout: offeredLogout(result.server) }
      : { ok: false, problem: result.problem, keys: null, logout: null };
  }
}

/** Reads the metadata of SAML connections again, daily or as often as it demands, and reports certificates near their end. */
@Injectable()
export class MetadataRefresh extends WorkKind {
  override readonly kind = 'connections.metadata';
  override readonly everyMs = 10 * 60_000;
  override readonly callsOut = true;

  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly refreshing: MetadataRefreshing,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super();
  }

  override due(): string {
    return DUE_METADATA;
  }

  override async run({ tenantId, id }: Turn): Promise<TurnOutcome> {
    const now = this.clock.now();
    const row = await this.repository.findDue(tenantId, id, now);
    if (row?.type !== 'saml') return DONE;
    const { metadata_url: address } = row.settings;
    if (address !== null) {
      await this.refresh(row, address);
      return DONE;
    }
    await this.refreshing.record(row, now);
    await this.repository.noteLook(this.db, row, now, row.metadata_problem);
    return DONE;
  }

  private async refresh(row: ConnectionRow, address: string): Promise<void> {
    const by = { tenantId: row.tenant_id, actor: systemActor('metadata refresh'), requestId: null };
    const result = await this.refreshing.refresh(by, row, address, false);
    const fields = { tenant_id: row.tenant_id, connection_id: row.id };
    if (result.kind === 'failed' || result.kind === 'unconfirmed') {
      this.logger.warn(`connection.metadata_${result.kind}`, { ...fields, detail: result.problem });
    } else if (result.kind === 'done' && result.changed) {
      this.logger.info('connection.metadata_changed', fields);
    }
  }
}

function invalid(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}

function hasOther(now: SamlConnection, known: SamlConnection): boolean {
  return now.certificates.some((one) => !known.certificates.includes(one));
}

function byHand(slug: string): string {
  return `The certificates were set by hand. If the IdP has a new one: connection set ${slug} --certificate-file <PEM file with all of them>`;
}
