import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
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
import { CandidatesRepository } from '../../candidates/candidates.repository.js';
import { JobsRepository } from '../../jobs/jobs.repository.js';
import { ENGINE } from '../engine-destination.js';
import { InstallationEngine, ownEngine } from '../installation-engine.js';
import { InterviewsRepository } from '../interviews.repository.js';
import { callFor, createCall, engineResultOf, type EngineCall, type EngineResult } from './engine-call.rules.js';
import { EngineClient } from './engine.client.js';
import { MeetingRecorder } from './meeting-recorder.js';

/** The longest pauses of an engine, beside those of a platform: five minutes. */
const LONGER = 5;

/**
 * The channel to interview engines. A lane is an interview; what is sent is the interview as it is when it is sent, so that
 * an erased candidate is nowhere else. The engine knows an interview by its id: a repeated create makes no second meeting.
 */
@Injectable()
export class EngineChannel extends Channel {
  readonly name = ENGINE;
  readonly folds = false;

  constructor(
    private readonly interviews: InterviewsRepository,
    private readonly candidates: CandidatesRepository,
    private readonly jobs: JobsRepository,
    private readonly client: EngineClient,
    private readonly recorder: MeetingRecorder,
    private readonly clock: Clock,
    private readonly installation: InstallationEngine,
  ) {
    super();
  }

  override canSend(destination: Destination): boolean {
    return super.canSend(destination) || this.installation.connectionFor(destination) !== null;
  }

  /** Interviews lie hours ahead, and an engine that is away is asked seldom: the pauses grow to five minutes. */
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
      const answer = await this.client.send(destination, one, timeoutMs);
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
    await this.recorder.note(tenantId, id, call.kind, result);
    return { outcome: outcomeOf(result, ownEngine(destination) !== null), attempts };
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
