import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { DestinationsRepository } from '../../delivery/destinations.repository.js';
import { judge } from '../../delivery/retry.rules.js';
import type { Person } from '../../identity/person.js';
import type { ChangeSource } from '../../identity/source.js';
import { PlatformClient } from '../../platform-client/platform.client.js';
import type { PlatformUser } from '../../platform-client/platform.types.js';
import { Connections } from '../platform/connections.js';
import { personText, readPlatformUser } from '../platform-user.mapping.js';
import { IntakeLocator, type PeopleIntake } from '../people-intake.js';
import { JobFailed, JobInterrupted, type Batch, type Job } from './forwarding-job.js';

const PAGE = 100;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Takes in the people whom the platform already has, one page of its list after the other. Nothing is forwarded. */
@Injectable()
export class ImportStep {
  constructor(
    private readonly db: Database,
    private readonly destinations: DestinationsRepository,
    private readonly client: PlatformClient,
    private readonly connections: Connections,
    private readonly clock: Clock,
    private readonly intake: IntakeLocator,
  ) {}

  async run(job: Job): Promise<Batch> {
    const destination = await this.destinations.read(job.tenantId);
    if (destination === null) throw new JobFailed('There is no platform connection.');
    const intake = this.intake.find();
    if (intake === null) throw new JobFailed('This installation cannot take people in.');
    const cursor = typeof job.payload['cursor'] === 'string' ? job.payload['cursor'] : undefined;
    const answer = await this.client.send(this.connections.of(destination), {
      method: 'GET',
      path: destination.settings.paths.users,
      query: { limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) },
      timeoutMs: Math.max(destination.settings.timeout_ms, 30_000),
      maxBytes: PAGE_BYTES,
    });
    const verdict = judge(answer, this.clock.now());
    if (verdict.kind === 'unavailable') throw new JobInterrupted(`the platform is away: ${verdict.reason}`);
    if (verdict.kind !== 'ok') throw new JobFailed(`The platform refused its list: ${verdict.words}`);
    const { users, next } = pageIn(verdict.body);
    const source: ChangeSource = {
      request_id: job.id,
      surface: 'system',
      directory_id: null,
      actor: job.createdBy,
    };
    const counts = countsOf(job);
    for (const user of users) counts[await this.take(intake, job.tenantId, destination.epoch, user, source)]++;
    // A cursor that does not move would lead in circles.
    const last = next === null || next === cursor || users.length === 0;
    return { done: users.length, next: last ? null : { ...counts, cursor: next }, wake: false };
  }

  private async take(
    intake: PeopleIntake,
    tenantId: string,
    epoch: number,
    user: PlatformUser,
    source: ChangeSource,
  ): Promise<'created' | 'known' | 'refused'> {
    if (await this.isBound(tenantId, epoch, user.id)) return 'known';
    const person: Person = {
      email: user.email,
      first_name: user.first_name ?? '',
      last_name: user.last_name ?? '',
      role: user.role,
      external_id: user.external_id,
    };
    const status = user.status === 'inactive' ? 'inactive' : 'active';
    const taken = await intake.importUnmanaged(tenantId, person, status, user.id, source);
    if (taken.kind === 'refused') return 'refused';
    await this.bind(tenantId, taken.userId, epoch, user.id, status, personText(person));
    return taken.kind;
  }

  private async isBound(tenantId: string, epoch: number, platformId: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `select 1 from lanes where tenant_id = $1 and platform_id = $2 and epoch = $3`,
      [tenantId, platformId, epoch],
    );
    return rowCount! > 0;
  }

  /** The platform's id becomes the person's. A lane that is being worked on finds it by itself. */
  private async bind(
    tenantId: string,
    userId: string,
    epoch: number,
    platformId: string,
    status: string,
    person: string,
  ): Promise<void> {
    await this.db.query(
      `insert into lanes as l (tenant_id, user_id, target_state, target_person, rank, last_pending, epoch, platform_id,
                               confirmed_state, confirmed_person, confirmed_at)
       values ($1, $2, $5, $6, 1, 0, $3, $4, $5, $6, now())
       on conflict (tenant_id, user_id) do update set epoch = excluded.epoch, platform_id = excluded.platform_id,
         confirmed_state = excluded.confirmed_state, confirmed_person = excluded.confirmed_person
       where l.lease_token is null and not l.calling and (l.platform_id is null or l.epoch < excluded.epoch)`,
      [tenantId, userId, epoch, platformId, status, person],
    );
  }
}

function pageIn(body: unknown): { users: PlatformUser[]; next: string | null } {
  const list = Array.isArray(body) ? (body as unknown[]) : (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) throw new JobFailed('The platform answered, but not with a list of users.');
  const cursor = (body as { next_cursor?: unknown }).next_cursor;
  const users = list.map(readPlatformUser).filter((user) => user !== null);
  return { users, next: typeof cursor === 'string' && cursor !== '' ? cursor : null };
}

function countsOf({ payload }: Job): Record<'created' | 'known' | 'refused', number> {
  const count = (name: string): number => (typeof payload[name] === 'number' ? payload[name] : 0);
  return { created: count('created'), known: count('known'), refused: count('refused') };
}
