import { Injectable } from '@nestjs/common';
import { trimEndOf } from '../../base/characters.js';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { Conflict, InvalidFields } from '../../base/errors/domain-error.js';
import { PRIVATE_HINT, refusalOfUrl } from '../../base/http/destination-networks.js';
import { Logger } from '../../base/log/logger.js';
import { urlOf } from '../../base/url.js';
import { DEFAULT_SETTINGS, type Destination, type DestinationSettings } from '../../engine/delivery/destination.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import {
  DestinationsRepository,
  type DestinationChange,
} from '../../engine/delivery/destinations/destinations.repository.js';
import { boundSubjects } from '../../engine/delivery/lanes/admin.js';
import { pendingOf } from '../../engine/delivery/lanes/read.js';
import { taskBody, type TaskBody } from '../../engine/work/tasks.dto.js';
import { TasksRepository, type TaskRow } from '../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../engine/work/tasks.service.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { systemActor, type Actor } from '../../tenancy/identity/person.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { demandRoom } from '../../tenancy/tenants/caps.js';
import { TenantReady } from '../../tenancy/tenants/tenants.events.js';
import { TenantsRepository } from '../../tenancy/tenants/tenants.repository.js';
import { platformOf, Connections } from '../connections.js';
import { ForwardingService } from '../forwarding.service.js';
import type { PlatformBody, ChangePlatform } from './platform.dto.js';
import { KEY_UNREADABLE } from './platform.rules.js';

export function view(destination: Destination | null): Omit<PlatformBody, 'waiting' | 'parked' | 'message'> {
  const settings = destination?.settings ?? DEFAULT_SETTINGS;
  return {
    connected: destination !== null,
    base_url: destination?.baseUrl ?? null,
    key_hint: destination?.keyHint ?? null,
    ...settings,
    state: stateShown(destination),
    reason: destination?.stateReason ?? null,
    detail: destination?.stateDetail ?? (destination?.keyUnreadable ? KEY_UNREADABLE : null),
    since: destination?.stateSince ?? null,
    next_probe_at: destination?.nextProbeAt ?? null,
    last_success_at: destination?.lastSuccessAt ?? null,
    updated_at: destination?.updatedAt ?? null,
  };
}

function stateShown(destination: Destination | null): string {
  if (destination === null) return 'no_platform_yet';
  if (destination.state !== 'ok' || destination.key !== null) return destination.state;
  return destination.keyUnreadable ? 'key_unreadable' : 'no_key_yet';
}

interface State {
  state: string;
  reason: string | null;
  detail: string | null;
  /** Of a call to the present address; null when none has succeeded. */
  last_success_at: Date | null;
}

export function platformWords({ state, reason, detail, last_success_at }: State): string {
  const words = detail === null || detail === '' ? '' : ` (${detail})`;
  switch (state) {
    case 'ok':
      return last_success_at === null
        ? 'Not tried yet: no call to this address has succeeded so far. "platform test" tries it.'
        : 'Changes are forwarded.';
    case 'no_platform_yet':
      return 'There is no platform connection yet. Changes wait; "platform set" names the platform.';
    case 'no_key_yet':
      return 'The platform has an address and no key. Changes wait; "platform set --api-key" names the key.';
    case 'open':
      return `The platform is unavailable: ${awayBy(reason)}${words}. Changes wait, and one call at a time probes it.`;
    default:
      return `Forwarding is paused: ${pausedBy(reason)}${words}. Changes wait until "platform resume", or until the settings change.`;
  }
}

function awayBy(reason: string | null): string {
  const status = /^status_(\d+)$/.exec(reason ?? '')?.[1];
  if (status !== undefined) return `it answers with status ${status}`;
  switch (reason) {
    case 'timeout':
      return 'it gives no answer in time';
    case 'reset':
      return 'it ends the connection before it has answered';
    case 'refused':
      return 'it accepts no connection';
    default:
      return reason ?? 'it gives no answer';
  }
}

function pausedBy(reason: string | null): string {
  switch (reason) {
    case 'by_hand':
      return 'an admin has paused it';
    case 'credential_refused':
      return 'the platform does not accept the key';
    case 'redirect':
      return 'the address leads elsewhere';
    case 'address_refused':
      return `the address is not a public one; ${PRIVATE_HINT}`;
    case 'looks_misconfigured':
      return 'five users in a row were refused alike';
    default:
      return reason ?? 'the reason is not known';
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

export function noPlatform(): Conflict {
  return new Conflict('no_platform_yet', 'There is no platform connection yet.');
}

const KINDS = ['platform.reforward', 'platform.import', 'platform.drift', 'changes.resend'] as const;

/**
 * Shows and changes the platform connection of a tenant, and begins the tasks that read the platform's users. The
 * first tenant gets its connection from `PLATFORM_API_BASE_URL` and `PLATFORM_API_KEY`, at the start or when it is
 * created.
 */
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
    private readonly clock: Clock,
    private readonly tenants: TenantsRepository,
    private readonly logger: Logger,
    events: DomainEvents,
  ) {
    events.on(TenantReady, async () => {
      // The tenant exists; the next start tries again.
      await this.applyFirst().catch((error: unknown) => this.logger.error('platform connection not made', { error }));
    });
  }

  async show(tenantId: string): Promise<PlatformBody> {
    return { ...(await this.connection(tenantId)), ...(await pendingOf(this.db, platformOf(tenantId))) };
  }

  async connection(tenantId: string): Promise<Omit<PlatformBody, 'waiting' | 'parked'>> {
    const shown = view(await this.destinations.read(platformOf(tenantId)));
    return { ...shown, message: platformWords(shown) };
  }

  /**
   * @throws {InvalidFields} when the address may not be used, and for a new host without a key: the present key is
   * only sent to the present host
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
   * Gives a tenant a connection if it has none: the operator's own platform for the first tenant, the sandbox for the
   * demo tenant. Returns whether one was made.
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

  /** Follows the sandbox to another address, for a tenant that forwarded to the former one, with its key. */
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

  beginImport(caller: Caller): Promise<TaskRow> {
    return this.begin(caller, 'platform.import', 'platform.import_begun');
  }

  /** Begins to compare the platform's list with the expected accounts. Changes nothing. */
  beginDrift(caller: Caller): Promise<TaskRow> {
    return this.begin(caller, 'platform.drift', 'platform.drift_begun');
  }

  async listTasks(tenantId: string): Promise<{ data: TaskBody[] }> {
    const rows = await this.tasks.list(tenantId, { kinds: KINDS }, { limit: 50, after: null });
    const now = this.clock.now();
    return { data: rows.slice(0, 50).map((row) => taskBody(row, now)) };
  }

  private async begin(caller: Caller, kind: 'platform.import' | 'platform.drift', action: string): Promise<TaskRow> {
    const { tenantId, actor, requestId } = caller;
    return once(this.db, caller, async (tx) => {
      if ((await this.destinations.lock(tx, platformOf(tenantId))) === null) throw noPlatform();
      await demandRoom(tx, TASKS_CAP, tenantId);
      const task = await this.tasks.add(tx, tenantId, { kind, payload: {}, createdBy: actor });
      const line = { tenantId, actor, requestId, targetType: 'platform', targetId: tenantId };
      await this.audit.record(tx, { ...line, action, after: { task: task.id } });
      return task;
    });
  }

  /** @returns why the settings are not used, in words; null when they are used, or not set */
  async applyFirst(): Promise<string | null> {
    const { baseUrl, apiKey } = this.config.platform;
    if (baseUrl === undefined) {
      return apiKey === undefined ? null : 'PLATFORM_API_KEY is not used: PLATFORM_API_BASE_URL is not set.';
    }
    const tenantId = await this.tenants.first();
    if (tenantId === null) return null; // used when the tenant is created
    if (await this.ensure(tenantId, baseUrl, apiKey ?? null)) {
      this.logger.info('platform connection made from PLATFORM_API_BASE_URL', { tenant_id: tenantId });
      return null;
    }
    const known = await this.destinations.read(platformOf(tenantId));
    if (known === null) return null;
    const instead = 'Change it with `platform set`, or take the setting away.';
    if (known.baseUrl !== baseUrl) {
      return `PLATFORM_API_BASE_URL is not used: the first tenant (${tenantId}) has a platform connection to ${known.baseUrl} already. ${instead}`;
    }
    if (apiKey !== undefined && !known.keyUnreadable && known.key !== apiKey) {
      return `PLATFORM_API_KEY is not used: the platform connection of the first tenant (${tenantId}) has another key. ${instead}`;
    }
    return null;
  }
}
