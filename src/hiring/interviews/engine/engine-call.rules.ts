import { hash } from 'node:crypto';
import { PRIVATE_HINT } from '../../../base/http/destination-networks.js';
import type { Verdict } from '../../../engine/delivery/retry.rules.js';
import type { CandidateRow } from '../../candidates/candidate.js';
import type { JobRow } from '../../jobs/job.js';
import type { InterviewRow } from '../interview.js';
import { meetingUrlProblem } from '../meeting.rules.js';

export const INTERVIEWS_PATH = '/v1/interviews';

export interface EngineCall {
  kind: 'create' | 'change' | 'cancel';
  method: 'POST' | 'PATCH';
  path: string;
  body: string;
  /** @throws {NotFound} when the tenant has no such interview */
  idempotencyKey: string;
}

export type EngineResult =
  | { kind: 'link'; url: string }
  /** The engine has the values of the last call, and the link stays. */
  | { kind: 'taken' }
  /** The engine has no such interview, or no longer. */
  | { kind: 'unknown' }
  /** A repetition would be refused too. */
  | { kind: 'refused'; detail: string }
  | { kind: 'unusable'; detail: string }
  /** `detail` is a sentence for the interview, which an unanswered call needs as well. */
  | { kind: 'again'; reason: string; detail: string; retryAfterMs: number | null }
  /** An administrator has to act first. */
  | { kind: 'stopped'; reason: 'credential_refused' | 'redirect' | 'address_refused'; detail: string };

/** Returns the call for an interview, or null. @param interview undefined when it was removed with its candidate */
export function callFor(
  id: string,
  interview: InterviewRow | undefined,
  about: { candidate: CandidateRow | undefined; job: JobRow | undefined },
): EngineCall | null {
  if (interview === undefined) return cancel(id);
  const isOurs = interview.meeting_source === 'engine';
  if (isOurs && interview.state === 'scheduled') return put(interview, about);
  // An interview that began before its link was there still gets one; its plan cannot change any more.
  if (isOurs && interview.state === 'in_progress' && interview.meeting_url === null)
    return createCall(interview, about);
  const isOver = interview.state === 'cancelled' || interview.state === 'no_show';
  // A create whose answer was lost may have made a meeting: it is cancelled too.
  if (isOver && isOurs) return cancel(id);
  return interview.at_engine && (isOver || !isOurs) ? cancel(id) : null;
}

export function createCall(
  interview: InterviewRow,
  { candidate, job }: { candidate: CandidateRow | undefined; job: JobRow | undefined },
): EngineCall {
  const { id } = interview;
  const body = {
    id,
    candidate:
      candidate === undefined
        ? null
        : {
            id: candidate.id,
            external_id: candidate.external_id,
            first_name: candidate.first_name,
            last_name: candidate.last_name,
            email: candidate.email,
          },
    job: job === undefined ? null : { id: job.id, external_id: job.external_id, title: job.title },
    ...planOf(interview),
  };
  return call('create', 'POST', INTERVIEWS_PATH, id, body);
}

export function engineResultOf({ kind }: Pick<EngineCall, 'kind'>, verdict: Verdict): EngineResult {
  switch (verdict.kind) {
    case 'ok':
      return kind === 'cancel' ? { kind: 'taken' } : linkIn(kind, verdict.body);
    case 'missing':
      if (kind !== 'create') return { kind: 'unknown' };
      // An engine has the address that interviews are made at: a 404 there is a wrong base address, or maintenance.
      return again(`status_${verdict.status}`, saidOf(verdict), null);
    case 'conflict':
    case 'refused':
      return { kind: 'refused', detail: saidOf(verdict) };
    case 'stopped':
      return { kind: 'stopped', reason: verdict.reason, detail: stopOf(verdict) };
    case 'unavailable':
      return again(verdict.reason, saidOf(verdict), verdict.retryAfterMs);
  }
}

function put(
  interview: InterviewRow,
  about: { candidate: CandidateRow | undefined; job: JobRow | undefined },
): EngineCall {
  if (!interview.at_engine) return createCall(interview, about);
  return call('change', 'PATCH', `${INTERVIEWS_PATH}/${interview.id}`, interview.id, planOf(interview));
}

function cancel(id: string): EngineCall {
  return call('cancel', 'POST', `${INTERVIEWS_PATH}/${id}/cancel`, id, {});
}

function call(
  kind: EngineCall['kind'],
  method: EngineCall['method'],
  path: string,
  id: string,
  content: object,
): EngineCall {
  const body = JSON.stringify(content);
  // A repetition with other bytes is another request (the name of the candidate can change between two tries).
  const idempotencyKey = `${id}_${kind}_${hash('sha256', body, 'hex').slice(0, 16)}`;
  return { kind, method, path, body, idempotencyKey };
}

function planOf({ starts_at, ends_at, time_zone, interviewers }: InterviewRow): object {
  return { starts_at: starts_at.toISOString(), ends_at: ends_at.toISOString(), time_zone, interviewers };
}

function linkIn(kind: EngineCall['kind'], body: unknown): EngineResult {
  const url = body === null || typeof body !== 'object' ? undefined : (body as Record<string, unknown>)['meeting_url'];
  if (kind === 'change' && (url === undefined || url === null)) return { kind: 'taken' };
  const problem = meetingUrlProblem(url);
  if (problem === null) return { kind: 'link', url: url as string };
  return { kind: 'unusable', detail: `In its answer, meeting_url ${problem}.` };
}

function again(reason: string, detail: string, retryAfterMs: number | null): EngineResult {
  return { kind: 'again', reason, detail, retryAfterMs };
}

/** Returns the words of the engine. There are none without an answer: a code of the HTTP client is not shown. */
function saidOf({ status, words }: { status: number | null; words: string }): string {
  if (status === null) return 'It does not answer.';
  return `It said: ${status} ${words}`.trim();
}

function stopOf(verdict: Extract<Verdict, { kind: 'stopped' }>): string {
  switch (verdict.reason) {
    case 'credential_refused':
      return `It refuses the key. ${saidOf(verdict)}`;
    case 'redirect':
      return 'It redirects to another address, which is not followed.';
    case 'address_refused':
      return 'Its address must not be called.';
  }
}

/** Returns in plain words the result of a question about an unknown interview: an engine answers 404 with JSON. */
export function engineFinding(verdict: Verdict, baseUrl: string): { ok: boolean; message: string } {
  const no = (message: string) => ({ ok: false, message });
  switch (verdict.kind) {
    case 'missing':
    case 'ok':
      return { ok: true, message: 'The engine answered as it should: the address and the key are good.' };
    case 'conflict':
    case 'refused':
      return no(`The engine refused the question with ${verdict.status}, where 404 is expected: ${verdict.words}`);
    case 'stopped':
      if (verdict.reason === 'credential_refused') return no(`The engine does not accept the key (${verdict.status}).`);
      if (verdict.reason === 'redirect') return no(`The address leads to ${verdict.words}: enter the final one.`);
      return no(`The address is not a public one, so that this service does not connect to it; ${PRIVATE_HINT}.`);
    case 'unavailable':
      if (verdict.reason === 'html') return no(`${baseUrl} answers with a web page: a wrong address, or maintenance.`);
      return no(`${baseUrl} cannot be reached, or is in trouble (${verdict.status ?? verdict.reason}).`);
  }
}

/** What the states of an interview engine mean for its administrator. */
export const ENGINE_MESSAGES: Readonly<Record<string, string>> = {
  ok: 'The engine takes calls.',
  open: 'The engine is unavailable. Interviews wait, and one call at a time probes it.',
  paused: 'The engine takes no calls: correct the address or the key with PUT, which also sends what waits.',
  no_engine: 'There is no interview engine. Set one, or send meeting_url with each interview.',
  key_unreadable: 'No key of ENCRYPTION_KEY opens the stored key of the engine. Set api_key anew.',
};
