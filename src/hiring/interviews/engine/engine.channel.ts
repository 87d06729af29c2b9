import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import type { OutboundAnswer } from '../../../base/http/outbound.js';
import { Channel } from '../../../engine/delivery/channel.js';
import type { DeliveryOptions } from '../../../engine/delivery/delivery.options.js';
import type { Destination } from '../../../engine/delivery/destination.js';
import type { LeasedLane, Policy } from '../../../engine/delivery/lane-state.js';
import type { Attempt, Outcome, Sent } from '../../../engine/delivery/outcome.js';
import {
  judge,
  type Verdict,
  steadyPause,
  steadyRules,
  type FailureRules,
} from '../../../engine/delivery/retry.rules.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { Connections } from '../../../forwarding/connections.js';
import { PlatformClient } from '../../../forwarding/platform-client/platform.client.js';
import { CandidatesRepository } from '../../candidates/candidates.repository.js';
import { JobsRepository } from '../../jobs/jobs.repository.js';
import { InstallationEngine, ENGINE, ownEngine } from '../installation-engine.js';
import { interviewFact } from '../interview.dto.js';
import type { InterviewRow } from '../interview.js';
import { InterviewMoved } from '../interviews.errors.js';
import { InterviewsRepository } from '../interviews.repository.js';
import { type EngineCall, type EngineResult, callFor, createCall, engineResultOf } from './engine-call.rules.js';

const MOST_BYTES = 64 * 1024;

type EngineRequest = Pick<EngineCall, 'method' | 'path' | 'body' | 'idempotencyKey'> | EngineQuestion;

interface EngineQuestion {
  method: 'GET';
  path: string;
  body?: undefined;
  idempotencyKey?: undefined;
}

/** The words for an interview, or a new plan, that the engine did not take. */
const REFUSALS = {
  refused: {
    made: 'The interview engine refused the interview.',
    moved: 'The interview engine refused the last plan: the room is still at the former time.',
  },
  unusable: {
    made: 'The interview engine gave a link that cannot be used.',
    moved: 'The interview engine answered the last plan with a link that cannot be used: the former link stays.',
  },
} as const;

/** Returns the interview after the answer; null when nothing changes. Another link, state or reason is a change. */
function noted(before: InterviewRow, kind: EngineCall['kind'], result: EngineResult): InterviewRow | null {
  if (kind === 'cancel') return before.at_engine ? { ...before, at_engine: false } : null;
  const isOurs = before.meeting_source === 'engine';
  if (result.kind === 'link') {
    const taken = { ...before, at_engine: true };
    const isNews =
      isOurs &&
      (before.meeting_url !== result.url || before.meeting_state !== 'ready' || before.meeting_detail !== null);
    if (!isNews) return before.at_engine ? null : taken;
    return next({ ...taken, meeting_url: result.url, meeting_state: 'ready', meeting_detail: null });
  }
  if ((result.kind === 'refused' || result.kind === 'unusable') && isOurs) {
    const meeting_detail = `${REFUSALS[result.kind][before.meeting_url === null ? 'made' : 'moved']} ${result.detail}`;
    // A link that is there stays: the engine refused a change of it.
    if (before.meeting_url === null) return next({ ...before, meeting_state: 'failed', meeting_detail });
    return before.meeting_detail === meeting_detail ? null : next({ ...before, meeting_detail });
  }
  if (result.kind === 'taken' && isOurs && before.meeting_state === 'ready' && before.meeting_detail !== null) {
    return next({ ...before, meeting_detail: null });
  }
  return null;
}

function next(row: InterviewRow): InterviewRow {
  return { ...row, sequence: row.sequence + 1, updated_at: new Date() };
}

/** The factor between the longest pause of an engine (five minutes) and that of a platform. */
const LONGER = 5;

/**
 * The channel to interview engines. A lane is an interview. The body is made from the interview when it is sent, so an
 * erased candidate is stored nowhere else. The engine knows an interview by its id: a repeated create makes no second
 * meeting. Addresses follow the rules of the platform. A new link goes to the ATS and to webhooks.
 */
@Injectable()
export class EngineChannel extends Channel {
  readonly name = ENGINE;
  readonly folds = false;

  constructor(
    private readonly interviews: InterviewsRepository,
    private readonly candidates: CandidatesRepository,
    private readonly jobs: JobsRepository,
    private readonly clock: Clock,
    private readonly installation: InstallationEngine,
    private readonly db: Database,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
    private readonly platform: PlatformClient,
    private readonly connections: Connections,
  ) {
    super();
  }

  override canSend(destination: Destination): boolean {
    return super.canSend(destination) || this.installation.connectionFor(destination) !== null;
  }

  /** Interviews lie hours ahead, and an engine without an answer is asked rarely: the pauses grow to five minutes. */
  override rulesOf(options: DeliveryOptions): FailureRules {
    const { backoff, probe } = options;
    const maxMs = LONGER * backoff.maxMs;
    const longest = LONGER * probe.maxMs;
    return {
      ...steadyRules(options),
      ...steadyPause({ ...backoff, maxMs }),
      probe: { ...probe, maxMs: longest, fewPeopleMs: longest },
    };
  }

  policyOf(): Policy {
    return { active: 'put', inactive: 'put', deleted: 'put' };
  }

  async send(lane: LeasedLane, destination: Destination, timeoutMs: number): Promise<Sent> {
    const { tenantId } = destination;
    const id = lane.subject;
    const interview = await this.interviews.one(tenantId, id);
    const candidate = interview && (await this.candidates.one(tenantId, interview.candidate_id));
    const job = interview?.job_id == null ? undefined : await this.jobs.one(tenantId, interview.job_id);
    const about = { candidate, job };
    let call = callFor(id, interview, about);
    const attempts: Attempt[] = [];
    if (call === null) return { outcome: { kind: 'nothing' }, attempts };
    const send = async (one: EngineCall): Promise<EngineResult> => {
      const sentAt = this.clock.now();
      const answer = await this.call(destination, one, timeoutMs);
      const verdict = judge(answer, this.clock.now());
      const result = engineResultOf(one, verdict);
      attempts.push(attemptOf(one, verdict, result, { sentAt, ms: Math.round(answer.ms), id }));
      return result;
    };
    let result = await send(call);
    if (result.kind === 'unknown' && call.kind === 'change' && interview !== undefined) {
      call = createCall(interview, about);
      result = await send(call);
    }
    await this.note(tenantId, id, call.kind, result);
    return { outcome: outcomeOf(result, ownEngine(destination) !== null), attempts };
  }

  /** Notes the result of a call, unless the interview was removed since. */
  private async note(tenantId: string, id: string, kind: EngineCall['kind'], result: EngineResult): Promise<void> {
    if (result.kind === 'again' || result.kind === 'stopped') {
      return this.interviews.noteWaiting(tenantId, id, result.detail);
    }
    try {
      await this.db.transaction(tenantId, async (tx) => {
        const { interview: before, candidate } = await this.interviews.lockInterview(tx, tenantId, id);
        const after = noted(before, kind, result);
        if (after === null) return;
        await this.interviews.update(tx, tenantId, after);
        const isAhead = after.state === 'scheduled' || after.state === 'in_progress';
        if (after.sequence === before.sequence || !isAhead) return;
        await this.events.record(tx, tenantId, [interviewFact('interview.scheduled', after, candidate.external_id)]);
        if (after.meeting_url !== before.meeting_url || after.meeting_state !== before.meeting_state) {
          await this.domainEvents.publish(new InterviewMoved(tx, tenantId, after));
        }
      });
    } catch (error) {
      if (error instanceof NotFound || error instanceof Conflict) return;
      throw error;
    }
    this.events.wake(tenantId, 'interview.scheduled');
  }

  /** @param destination null means the engine of the installation */
  call(
    destination: Destination | null,
    { method, path, body, idempotencyKey }: EngineRequest,
    timeoutMs: number,
  ): Promise<OutboundAnswer> {
    const connection = this.installation.connectionFor(destination) ?? this.connections.of(destination!);
    return this.platform.send(connection, {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      timeoutMs,
      maxBytes: MOST_BYTES,
    });
  }
}

/**
 * An interview that the engine refuses ends its lane: the interview shows why.
 *
 * @param isOwn the tenant can correct the address and the key; those of the installation are asked again instead
 */
function outcomeOf(result: EngineResult, isOwn: boolean): Outcome {
  switch (result.kind) {
    case 'again': {
      const { reason, retryAfterMs } = result;
      return { kind: 'unavailable', reason, ownFault: false, retryAfterMs };
    }
    case 'stopped':
      return isOwn
        ? { kind: 'stopped', reason: result.reason, detail: result.detail }
        : { kind: 'unavailable', reason: result.reason, ownFault: false, retryAfterMs: null };
    default:
      return { kind: 'delivered' };
  }
}

function attemptOf(
  { method, path }: EngineCall,
  verdict: Verdict,
  result: EngineResult,
  { sentAt, ms, id }: { sentAt: Date; ms: number; id: string },
): Attempt {
  const outcome = {
    link: 'delivered',
    taken: 'delivered',
    unknown: 'unknown',
    refused: 'refused',
    unusable: 'refused',
  } as const;
  const isWord = result.kind === 'again' || result.kind === 'stopped';
  return {
    method,
    path,
    status: verdict.status,
    outcome: isWord ? result.reason : outcome[result.kind],
    // The words of the engine can name the candidate: the interview keeps them, and is removed with the candidate.
    detail: null,
    answer: null,
    ms,
    sentAt,
    deliveryId: id,
  };
}
