import { Injectable } from '@nestjs/common';
import { trimEndOf } from '../../../base/characters.js';
import { Clock } from '../../../base/clock.js';
import { Config } from '../../../base/config/config.js';
import { Database } from '../../../base/database/database.js';
import { InvalidFields, Conflict } from '../../../base/errors/domain-error.js';
import { refusalOfUrl } from '../../../base/http/destination-networks.js';
import { newId } from '../../../base/ids.js';
import { urlOf } from '../../../base/url.js';
import { type Destination, DEFAULT_SETTINGS } from '../../../engine/delivery/destination.js';
import {
  DestinationsRepository,
  REMOVED,
  removeDestination,
} from '../../../engine/delivery/destinations/destinations.repository.js';
import { pendingOf } from '../../../engine/delivery/lanes/read.js';
import { judge } from '../../../engine/delivery/retry.rules.js';
import { Connections } from '../../../forwarding/connections.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { engineOf, InstallationEngine, ownEngine } from '../installation-engine.js';
import { InterviewsRepository } from '../interviews.repository.js';
import { Meetings } from '../meetings.js';
import { ENGINE_MESSAGES, INTERVIEWS_PATH, engineFinding } from './engine-call.rules.js';
import { EngineChannel } from './engine.channel.js';
import type { ChangeInterviewEngine, InterviewEngineBody, InterviewEngineTestBody } from './engine.dto.js';

const INSTALLATION =
  'The engine of the installation is used, since the tenant has set none. Set one with PUT to use another.';

function messageOf(message: string, notTaken: number): string {
  if (notTaken === 0) return message;
  const interviews = notTaken === 1 ? 'one interview' : `${notTaken} interviews`;
  return `${message} It did not take the plan of ${interviews}: meeting_reason of the interview says why.`;
}

function shown({ baseUrl, keyHint }: Destination): object {
  return { base_url: baseUrl, key_hint: keyHint };
}

function originOf(address: string): string {
  return urlOf(address)?.origin ?? address;
}

function wrong(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}

/** The interview engine of a tenant, as its administrators see, change and test it. */
@Injectable()
export class EngineService {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly connections: Connections,
    private readonly meetings: Meetings,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly installation: InstallationEngine,
    private readonly interviews: InterviewsRepository,
    private readonly channel: EngineChannel,
    private readonly clock: Clock,
  ) {}

  async show(tenantId: string): Promise<InterviewEngineBody> {
    const known = await this.destinations.read(engineOf(tenantId));
    const engine = ownEngine(known);
    if (engine === null && this.installation.connection !== null) return this.showInstallation(tenantId, known);
    const { waiting, not_taken } = await this.counts(tenantId);
    const state = engine === null ? 'no_engine' : engine.keyUnreadable ? 'key_unreadable' : engine.state;
    return {
      connected: engine !== null,
      source: engine === null ? null : 'tenant',
      base_url: engine?.baseUrl ?? null,
      key_hint: engine?.keyHint ?? null,
      state,
      reason: engine?.stateReason ?? null,
      message: messageOf(ENGINE_MESSAGES[state]!, not_taken),
      last_success_at: engine?.lastSuccessAt?.toISOString() ?? null,
      waiting,
      not_taken,
      updated_at: engine?.updatedAt.toISOString() ?? null,
    };
  }

  /**
   * @throws {InvalidFields} when the address may not be used, and for a new host without a key: the present key is
   * only sent to the present host
   */
  async change(caller: Caller, { base_url: sent, api_key: key }: ChangeInterviewEngine): Promise<InterviewEngineBody> {
    const { tenantId, actor, requestId } = caller;
    await this.db.transaction(tenantId, async (tx) => {
      const before = ownEngine(await this.destinations.lock(tx, engineOf(tenantId)));
      const line = { tenantId, actor, requestId, targetType: 'interview_engine', targetId: tenantId };
      if (sent === null) {
        if (before === null) return;
        await removeDestination(tx, engineOf(tenantId));
        await this.meetings.engineRemoved(tx, tenantId);
        await this.audit.record(tx, { ...line, action: 'interview_engine.removed', before: shown(before) });
        return;
      }
      const baseUrl = sent === undefined ? before?.baseUrl : trimEndOf(sent, '/');
      if (baseUrl === undefined) throw wrong('base_url', 'is required for a new engine');
      this.demandAddress(baseUrl, before);
      const isSameHost = before !== null && originOf(before.baseUrl) === originOf(baseUrl);
      if (key === undefined && (!isSameHost || before.keyHint === null)) {
        throw wrong('api_key', 'is required with another host: the present key belongs to the present one');
      }
      const change = { baseUrl, ...(key === undefined ? {} : { key }) };
      const { after } = await this.destinations.save(tx, engineOf(tenantId), change);
      const keyChanged = key === undefined ? {} : { api_key: 'changed' };
      await this.audit.record(tx, {
        ...line,
        action: before === null ? 'interview_engine.connected' : 'interview_engine.changed',
        before: before === null ? undefined : shown(before),
        after: { ...shown(after), ...keyChanged },
      });
    });
    this.meetings.wake(tenantId);
    return this.show(tenantId);
  }

  private async showInstallation(tenantId: string, known: Destination | null): Promise<InterviewEngineBody> {
    const { waiting, not_taken } = await this.counts(tenantId);
    const state = known?.stateReason === REMOVED ? 'ok' : (known?.state ?? 'ok');
    return {
      connected: true,
      source: 'installation',
      base_url: this.installation.connection!.baseUrl,
      key_hint: null,
      state,
      reason: state === 'ok' ? null : (known?.stateReason ?? null),
      message: messageOf(state === 'ok' ? INSTALLATION : ENGINE_MESSAGES[state]!, not_taken),
      last_success_at: known?.lastSuccessAt?.toISOString() ?? null,
      waiting,
      not_taken,
      updated_at: known?.updatedAt.toISOString() ?? null,
    };
  }

  private async counts(tenantId: string): Promise<Pick<InterviewEngineBody, 'waiting' | 'not_taken'>> {
    const [{ waiting }, { count: not_taken }] = await Promise.all([
      pendingOf(this.db, engineOf(tenantId)),
      this.interviews.notTaken(tenantId),
    ]);
    return { waiting, not_taken };
  }

  private demandAddress(baseUrl: string, known: Destination | null): void {
    const own = [this.config.baseUrl, this.config.apiBaseUrl].map(originOf);
    if (own.includes(originOf(baseUrl))) throw wrong('base_url', 'is this service itself, not an interview engine');
    const refusal = this.connections.mayBePrivate(baseUrl, known) ? null : refusalOfUrl(baseUrl);
    if (refusal !== null) throw wrong('base_url', refusal);
  }

  /** Asks the engine about an interview that does not exist. @throws {Conflict} `no_interview_engine` */
  async test(tenantId: string): Promise<InterviewEngineTestBody> {
    const engine = ownEngine(await this.destinations.read(engineOf(tenantId)));
    const baseUrl = engine?.baseUrl ?? this.installation.connection?.baseUrl;
    if (baseUrl === undefined) throw new Conflict('no_interview_engine', ENGINE_MESSAGES['no_engine']!);
    if (engine?.keyUnreadable === true)
      return { ok: false, message: ENGINE_MESSAGES['key_unreadable']!, status: null, duration_ms: 0 };
    const path = `${INTERVIEWS_PATH}/${newId('int')}`;
    const timeoutMs = (engine?.settings ?? DEFAULT_SETTINGS).timeout_ms;
    const answer = await this.channel.call(engine, { method: 'GET', path }, timeoutMs);
    const verdict = judge(answer, this.clock.now());
    const { status } = verdict;
    return { ...engineFinding(verdict, baseUrl), status, duration_ms: Math.round(answer.ms) };
  }
}
