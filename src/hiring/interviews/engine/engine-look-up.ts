import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Conflict } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { DEFAULT_SETTINGS } from '../../../engine/delivery/destination.js';
import { DestinationsRepository } from '../../../engine/delivery/destinations/destinations.repository.js';
import { judge } from '../../../engine/delivery/retry.rules.js';
import { engineOf } from '../engine-destination.js';
import { InstallationEngine, ownEngine } from '../installation-engine.js';
import { INTERVIEWS_PATH } from './engine-call.rules.js';
import { engineFinding } from './engine-test.rules.js';
import { ENGINE_MESSAGES } from './engine-words.js';
import { EngineClient } from './engine.client.js';
import type { InterviewEngineTestBody } from './engine.dto.js';

/** Tries the interview engine without a write. */
@Injectable()
export class EngineLookUp {
  constructor(
    private readonly destinations: DestinationsRepository,
    private readonly client: EngineClient,
    private readonly clock: Clock,
    private readonly installation: InstallationEngine,
  ) {}

  /**
   * Asks the engine about an interview that does not exist.
   *
   * @throws {Conflict} `no_interview_engine`
   */
  async test(tenantId: string): Promise<InterviewEngineTestBody> {
    const engine = ownEngine(await this.destinations.read(engineOf(tenantId)));
    const baseUrl = engine?.baseUrl ?? this.installation.connection?.baseUrl;
    if (baseUrl === undefined) throw new Conflict('no_interview_engine', ENGINE_MESSAGES['no_engine']!);
    if (engine?.keyUnreadable === true)
      return { ok: false, message: ENGINE_MESSAGES['key_unreadable']!, status: null, duration_ms: 0 };
    const path = `${INTERVIEWS_PATH}/${newId('int')}`;
    const timeoutMs = (engine?.settings ?? DEFAULT_SETTINGS).timeout_ms;
    const answer = await this.client.send(engine, { method: 'GET', path }, timeoutMs);
    const verdict = judge(answer, this.clock.now());
    const { status } = verdict;
    return { ...engineFinding(verdict, baseUrl), status, duration_ms: Math.round(answer.ms) };
  }
}
