import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { Conflict } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import type { Destination } from '../../engine/delivery/destination.js';
import { DestinationsRepository } from '../../engine/delivery/destinations/destinations.repository.js';
import { judge, type Verdict } from '../../engine/delivery/retry.rules.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { platformOf, Connections } from '../connections.js';
import { PlatformClient, type PlatformRequest } from '../platform-client/platform.client.js';
import { idIn } from '../platform-user.mapping.js';
import type { PlatformTestBody, PlatformTestStep } from './platform.dto.js';
import {
  problemOfCreate,
  problemOfGone,
  problemOfList,
  problemOfResolve,
  problemOfWrite,
  trialUser,
  type TrialProblem,
  findingOf,
  KEY_UNREADABLE,
} from './platform.rules.js';
import { noPlatform } from './platform.service.js';

type Call = Pick<PlatformRequest, 'method' | 'path' | 'query' | 'body' | 'idempotencyKey'>;

class Trial {
  readonly steps: PlatformTestStep[] = [];
  left = '';

  constructor(
    private readonly destination: Destination,
    private readonly send: (call: Call) => Promise<{ verdict: Verdict; ms: number }>,
  ) {}

  async run(user: ReturnType<typeof trialUser>, key: string): Promise<void> {
    const { paths, on_delete: onDelete } = this.destination.settings;
    const look: Call = { method: 'GET', path: paths.resolve, query: { type: 'user', external_id: user.external_id } };
    const post: Call = {
      method: 'POST',
      path: paths.users,
      body: JSON.stringify(user),
      idempotencyKey: `${key}-create`,
    };
    if (!(await this.step('look up an unknown user', look, (v) => problemOfResolve(v, null)))) return;
    const made = await this.step('create', post, (v) => problemOfCreate(v, null));
    if (!made) return this.leave(user.email);
    const id = idIn(made.kind === 'ok' ? made.body : null)!;
    const at = `${paths.users}/${encodeURIComponent(id)}`;
    const patch = (name: string, body: object): Call => {
      return { method: 'PATCH', path: at, body: JSON.stringify(body), idempotencyKey: `${key}-${name}` };
    };
    const byEmail: Call = { method: 'GET', path: paths.users, query: { email: user.email } };
    const played =
      (await this.step('create again, with the same Idempotency-Key', post, (v) => problemOfCreate(v, id))) &&
      (await this.step('look up', look, (v) => problemOfResolve(v, id))) &&
      (await this.step('list by e-mail', byEmail, (v) => problemOfList(v, id, user.external_id))) &&
      (await this.step('update', patch('update', { ...user, last_name: 'Changed' }), problemOfWrite)) &&
      (await this.step('deactivate', patch('deactivate', { status: 'inactive' }), problemOfWrite));
    if (onDelete === 'inactive') {
      // Deletions of this tenant are deactivations: the platform may know no DELETE.
      if (played) this.left = ' The user stays there, inactive.';
      return played ? undefined : this.leave(user.email);
    }
    const removal: Call = { method: 'DELETE', path: at, idempotencyKey: `${key}-delete` };
    if (!(await this.step('delete', removal, problemOfWrite))) return this.leave(user.email);
    if (!played) return;
    const again: Call = { ...removal, idempotencyKey: `${key}-delete-again` };
    await this.step('delete again', again, problemOfGone);
  }

  private leave(email: string): void {
    this.left = ` A user ${email} may be left behind at the platform; delete it there.`;
  }

  /** Plays one call; false when the answer is wrong. */
  private async step(
    name: string,
    call: Call,
    problemOf: (verdict: Verdict) => TrialProblem,
  ): Promise<Verdict | false> {
    const { verdict, ms } = await this.send(call);
    const problem = problemOf(verdict);
    const { method, path } = call;
    const { status } = verdict;
    this.steps.push({ name, method, path, status, ok: problem === null, message: problem, duration_ms: ms });
    return problem === null ? verdict : false;
  }
}

/** Plays the calls of forwarding against a platform, with a user made for the trial alone. */
@Injectable()
export class PlatformTrial {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly connections: Connections,
    private readonly client: PlatformClient,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates, looks up, changes and deletes a throw-away user. The first answer that breaks the contract of the
   * platform ends the trial; the user is deleted all the same.
   *
   * @throws {Conflict} `no_platform_yet` when the tenant has no connection
   */
  async play(caller: Caller): Promise<PlatformTestBody> {
    const { tenantId, actor, requestId } = caller;
    const destination = await this.destinations.read(platformOf(tenantId));
    if (destination === null) throw new Conflict('no_platform_yet', 'There is no platform connection yet.');
    const key = newId('req');
    const user = trialUser(key.slice(4));
    await this.db.transaction(tenantId, (tx) => {
      const line = { tenantId, actor, requestId, targetType: 'platform', targetId: tenantId };
      return this.audit.record(tx, {
        ...line,
        action: 'platform.test_write',
        after: { external_id: user.external_id },
      });
    });
    const trial = new Trial(destination, (call) => this.send(destination, call));
    await trial.run(user, key);
    const failed = trial.steps.find(({ ok }) => !ok);
    return {
      ok: failed === undefined,
      message:
        failed === undefined
          ? 'The platform answered each call as it should, and the throw-away user is gone.'
          : `${failed.name}: ${failed.message!}${trial.left}`,
      status: failed === undefined ? trial.steps.at(-1)!.status : failed.status,
      duration_ms: trial.steps.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      steps: trial.steps,
    };
  }

  private async send(destination: Destination, call: Call): Promise<{ verdict: Verdict; ms: number }> {
    const timeoutMs = destination.settings.timeout_ms;
    const answer = await this.client.send(this.connections.of(destination), { ...call, timeoutMs });
    return { verdict: judge(answer, this.clock.now()), ms: answer.ms };
  }

  async test(tenantId: string): Promise<PlatformTestBody> {
    const destination = await this.destinations.read(platformOf(tenantId));
    if (destination === null) throw noPlatform();
    if (destination.keyUnreadable) return { ok: false, message: KEY_UNREADABLE, status: null, duration_ms: 0 };
    const { resolve } = destination.settings.paths;
    const answer = await this.client.send(this.connections.of(destination), {
      method: 'GET',
      path: resolve,
      query: { type: 'user', external_id: newId('req') },
      timeoutMs: destination.settings.timeout_ms,
    });
    const verdict = judge(answer, this.clock.now());
    const status = verdict.status;
    return { ...findingOf(verdict, destination.baseUrl, resolve), status, duration_ms: answer.ms };
  }
}
