import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Conflict, InvalidFields } from '../../base/errors/domain-error.js';
import { refusalOfUrl } from '../../base/http/destination-networks.js';
import { urlOf } from '../../base/url.js';
import { trimEndOf } from '../../base/characters.js';
import type { Destination, DestinationSettings } from '../../engine/delivery/destination.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import {
  DestinationsRepository,
  type DestinationChange,
} from '../../engine/delivery/destinations/destinations.repository.js';
import { pendingOf } from '../../engine/delivery/lanes/read.js';
import { boundSubjects } from '../../engine/delivery/lanes/admin.js';
import { systemActor, type Actor } from '../../tenancy/identity/person.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { ForwardingService } from '../forwarding.service.js';
import { TasksRepository } from '../../engine/work/tasks.repository.js';
import { platformOf } from '../platform-destination.js';
import { Connections } from '../connections.js';
import { view } from './platform.mapping.js';
import { platformWords } from './platform-words.js';
import type { ChangePlatform, PlatformBody } from './platform.dto.js';

/** The platform connection of a tenant, as its administrators see and change it. */
@Injectable()
export class PlatformService {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly states: DestinationStatesRepository,
    private readonly connections: Connections,
    private readonly tasks: TasksRepository,
    private readonly audit: AuditService,
    private readonly forwarding: ForwardingService,
    private readonly config: Config,
  ) {}

  async show(tenantId: string): Promise<PlatformBody> {
    return { ...(await this.connection(tenantId)), ...(await pendingOf(this.db, platformOf(tenantId))) };
  }

  /** Returns the connection without what waits for it. */
  async connection(tenantId: string): Promise<Omit<PlatformBody, 'waiting' | 'parked'>> {
    const shown = view(await this.destinations.read(platformOf(tenantId)));
    return { ...shown, message: platformWords(shown) };
  }

  /**
   * Makes or changes the connection; what is left out stays.
   *
   * @throws {InvalidFields} when the address may not be used, and for a new host without a key: the present key is only
   *   sent to the present host
   */
  async change(caller: Caller, body: ChangePlatform): Promise<PlatformBody> {
    const change = changeOf(body);
    const sendsAgain = await this.db.transaction(caller.tenantId, async (tx) => {
      const known = await this.destinations.lock(tx, platformOf(caller.tenantId));
      if (change.baseUrl !== undefined) this.checkAddress(change.baseUrl, known);
      if (known === null && change.baseUrl === undefined) throw missing('base_url', 'is required for a new connection');
      const otherHost = known && change.baseUrl && originOf(known.baseUrl) !== originOf(change.baseUrl);
      if (otherHost && known.keyHint !== null && change.key === undefined) {
        throw missing('api_key', 'is required with another host: the present key belongs to the present one');
      }
      const moves = known !== null && change.baseUrl !== undefined && change.baseUrl !== known.baseUrl;
      const bound = moves ? await boundSubjects(tx, platformOf(caller.tenantId)) : 0;
      if (body.dry_run !== true) await this.save(tx, caller, change);
      return bound;
    });
    if (body.dry_run !== true) this.forwarding.wake(caller.tenantId);
    return { ...(await this.show(caller.tenantId)), sends_again: sendsAgain };
  }

  /**
   * Gives a tenant a connection if it has none: the operator's own platform for the first tenant, the sandbox for
   * the demo tenant.
   *
   * @returns whether one was made
   */
  async ensure(tenantId: string, baseUrl: string, key: string | null): Promise<boolean> {
    return this.db.transaction(tenantId, async (tx) => {
      if ((await this.destinations.lock(tx, platformOf(tenantId))) !== null) return false;
      await this.save(
        tx,
        { tenantId, actor: systemActor('start'), requestId: null },
        { baseUrl: trimmed(baseUrl), operatorOrigin: originOf(baseUrl), key },
      );
      return true;
    });
  }

  /** The sandbox is still the same one, at another address: a tenant that forwarded to it follows, with its key. */
  async follow(tenantId: string, from: string, to: string): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const known = await this.destinations.lock(tx, platformOf(tenantId));
      if (known === null || known.baseUrl !== from) return;
      await this.save(
        tx,
        { tenantId, actor: systemActor('start'), requestId: null },
        { baseUrl: to, operatorOrigin: originOf(to) },
      );
    });
  }

  async pause(caller: Caller, reason: string | null): Promise<PlatformBody> {
    await this.switch(caller, 'platform.paused', (tx) =>
      this.states.pause(tx, platformOf(caller.tenantId), 'by_hand', reason),
    );
    return this.show(caller.tenantId);
  }

  async resume(caller: Caller): Promise<PlatformBody> {
    await this.switch(caller, 'platform.resumed', (tx) => this.states.resume(tx, platformOf(caller.tenantId)));
    this.forwarding.wake(caller.tenantId);
    return this.show(caller.tenantId);
  }

  private async save(
    tx: SqlRunner,
    by: { tenantId: string; actor: Actor; requestId: string | null },
    change: DestinationChange,
  ): Promise<void> {
    const { tenantId, actor, requestId } = by;
    const { before, after, moved } = await this.destinations.save(tx, platformOf(tenantId), change);
    if (moved) {
      const payload = { epoch: after.epoch, after: '' };
      const total = await boundSubjects(tx, platformOf(tenantId));
      await this.tasks.add(tx, tenantId, { kind: 'platform.reforward', payload, total, createdBy: actor });
    }
    const keyChanged = change.key === undefined ? {} : { api_key: 'changed' };
    await this.audit.record(tx, {
      tenantId,
      actor,
      requestId,
      action: before === null ? 'platform.connected' : 'platform.changed',
      targetType: 'platform',
      targetId: tenantId,
      before: before === null ? undefined : settingsOf(before),
      after: { ...settingsOf(after), ...keyChanged },
    });
  }

  private async switch(caller: Caller, action: string, work: (tx: SqlRunner) => Promise<boolean>): Promise<void> {
    const { tenantId, actor, requestId } = caller;
    await this.db.transaction(tenantId, async (tx) => {
      const before = await this.destinations.lock(tx, platformOf(tenantId));
      if (before === null) throw noPlatform();
      if (!(await work(tx))) return;
      const after = await this.destinations.lock(tx, platformOf(tenantId));
      const line = { tenantId, actor, requestId, action, targetType: 'platform', targetId: tenantId };
      await this.audit.record(tx, { ...line, before: stateOf(before), after: after && stateOf(after) });
    });
  }

  private checkAddress(baseUrl: string, known: Destination | null): void {
    const own = [this.config.baseUrl, this.config.apiBaseUrl].map(originOf);
    if (own.includes(originOf(baseUrl))) throw missing('base_url', 'is this service itself, not the hiring platform');
    const refusal = this.connections.mayBePrivate(baseUrl, known) ? null : refusalOfUrl(baseUrl);
    if (refusal !== null) throw missing('base_url', refusal);
  }
}

function changeOf(body: ChangePlatform): DestinationChange {
  const settings: Partial<Omit<DestinationSettings, 'paths'>> = {};
  if (body.on_deactivate !== undefined) settings.on_deactivate = body.on_deactivate;
  if (body.on_delete !== undefined) settings.on_delete = body.on_delete;
  if (body.rate !== undefined) settings.rate = body.rate;
  if (body.concurrency !== undefined) settings.concurrency = body.concurrency;
  if (body.timeout_ms !== undefined) settings.timeout_ms = body.timeout_ms;
  return {
    ...(body.base_url === undefined ? {} : { baseUrl: trimmed(body.base_url) }),
    ...(body.api_key === undefined ? {} : { key: body.api_key }),
    ...(body.paths === undefined ? {} : { paths: body.paths }),
    settings,
  };
}

/** What the audit log may show of a connection. */
function settingsOf({ baseUrl, keyHint, settings }: Destination): object {
  return { base_url: baseUrl, key_hint: keyHint, ...settings };
}

function stateOf({ state, stateReason, stateDetail }: Destination): object {
  return { state, reason: stateReason, detail: stateDetail };
}

function trimmed(address: string): string {
  return trimEndOf(address, '/');
}

function originOf(address: string): string {
  return urlOf(address)?.origin ?? address;
}

function missing(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}

/** Returns the refusal where the tenant has no platform. */
export function noPlatform(): Conflict {
  return new Conflict('no_platform_yet', 'There is no platform connection yet.');
}
