import type { LeasedLane } from '../engine/delivery/lane-state.js';
import { asksFirst, isKnown, type Call, type Lookup, type Outcome } from '../engine/delivery/outcome.js';
import type { Verdict } from '../engine/delivery/retry.rules.js';
import type { Person } from '../tenancy/identity/person.js';
import type { Bound } from './accounts.js';
import { createBody, lacksEmail, updateBody, idIn } from './platform-user.mapping.js';

type CallStep =
  | { kind: 'nothing' }
  | { kind: 'look' }
  | { kind: 'create'; body: string }
  | { kind: 'update'; id: string; body: string }
  /** An update that gives an account stand-in names for a moment. */
  | { kind: 'aside'; id: string; body: string }
  | { kind: 'deactivate'; id: string; body: string }
  | { kind: 'delete'; id: string };

export type Write = Exclude<CallStep, { kind: 'nothing' | 'look' }>;

export function personOf(call: Call): Person {
  return JSON.parse(call.person) as Person;
}

/** The step depends on the call alone: the same call gives the same bytes, today and after an update. */
export function callStepOf(call: Call): CallStep {
  if (isKnown(call)) return { kind: 'nothing' };
  if (asksFirst(call.lookup) && !leavesAnyhow(call)) return { kind: 'look' };
  const { platform_id: id } = call;
  if (call.state === 'active') {
    // An account is not created without an e-mail: the change that brings one creates it.
    if (id === null && lacksEmail(call.person)) return { kind: 'nothing' };
    if (id === null) return { kind: 'create', body: createBody(call.person) };
    if (call.lookup?.why === 'aside') return { kind: 'aside', id, body: JSON.stringify(call.lookup.standIn) };
    return { kind: 'update', id, body: updateBody(call.person, call.confirmed !== 'active') };
  }
  // An inactive person is never created there; but one who was created without our learning the id has to be found.
  if (id === null) return { kind: call.confirmed === 'active' ? 'look' : 'nothing' };
  if (call.as === 'delete') return { kind: 'delete', id };
  // Deactivated before and deleted now, where the platform treats both the same: it knows already.
  if (call.confirmed !== null && call.confirmed !== 'active') {
    const standIn = call.lookup?.why === 'aside' ? call.lookup.standIn : undefined;
    return standIn === undefined ? { kind: 'nothing' } : { kind: 'aside', id, body: JSON.stringify(standIn) };
  }
  return { kind: 'deactivate', id, body: '{"status":"inactive"}' };
}

/** A leaver whose account is known needs no question about a conflict of an earlier change. */
function leavesAnyhow({ lookup, state, platform_id }: Call): boolean {
  return lookup?.why === 'conflict' && state !== 'active' && platform_id !== null;
}

export function outcomeOf(step: Write, call: Call, verdict: Verdict): Outcome {
  if (step.kind === 'aside') return outcomeAside(call, verdict);
  switch (verdict.kind) {
    case 'ok': {
      if (step.kind === 'delete') return { kind: 'delivered', bind: null };
      if (step.kind !== 'create') return { kind: 'delivered' };
      const id = idIn(verdict.body);
      if (id !== null) return { kind: 'delivered', bind: id };
      return { kind: 'next', lookup: { why: 'no_id' }, confirm: true };
    }
    case 'missing':
      if (step.kind === 'create') return failureOf(verdict);
      return { kind: 'next', lookup: asked(call, { why: 'gone', status: verdict.status, detail: verdict.words }) };
    case 'conflict': {
      if (step.kind === 'delete' || step.kind === 'deactivate') {
        return failureOf(verdict);
      }
      const id = idIn(verdict.body);
      const lookup: Lookup = { why: 'conflict', status: verdict.status, detail: verdict.words };
      if (id !== null && id !== call.platform_id) lookup.id = id;
      return { kind: 'next', lookup: asked(call, lookup) };
    }
    default:
      return failureOf(verdict);
  }
}

/** The lane waits again for the one that has its names; after a refused stand-in it does not stand aside again. */
function outcomeAside(call: Call, verdict: Verdict): Outcome {
  const { standIn: _, ...rest } = call.lookup!;
  const lookup: Lookup = { ...rest, why: 'conflict' };
  if (verdict.kind === 'ok') return { kind: 'next', lookup, outdated: true };
  if (verdict.kind === 'refused' || verdict.kind === 'conflict') {
    return { kind: 'next', lookup: { ...lookup, stoodAside: true }, circling: true };
  }
  if (verdict.kind === 'missing') {
    return { kind: 'next', lookup: asked(call, { why: 'gone', status: verdict.status, detail: verdict.words }) };
  }
  return failureOf(verdict);
}

function asked(call: Call, lookup: Lookup): Lookup {
  const { dissolved, asked } = call.lookup ?? {};
  return { ...lookup, ...(dissolved === undefined ? {} : { dissolved }), ...(asked === undefined ? {} : { asked }) };
}

/**
 * Returns the outcome of an answer to a question, or to a write for which it has no meaning of its own. A 404 to a
 * path without an id comes from an address where the API is not: an outage.
 */
export function failureOf(verdict: Exclude<Verdict, { kind: 'ok' }>): Outcome {
  switch (verdict.kind) {
    case 'missing':
      return { kind: 'unavailable', reason: `status_${verdict.status}`, ownFault: true, retryAfterMs: null };
    case 'conflict':
    case 'refused':
      return { kind: 'refused', status: verdict.status, detail: verdict.words };
    case 'stopped':
      return { kind: 'stopped', reason: verdict.reason, detail: verdict.words };
    case 'unavailable':
      return {
        kind: 'unavailable',
        reason: verdict.reason,
        ownFault: verdict.ownFault,
        retryAfterMs: verdict.retryAfterMs,
      };
  }
}

/** Two users who swapped their addresses wait for each other; about two minutes tell that from a chain. */
const MOST_WAITS_IN_CIRCLES = 20;
/** The most waits for a lane that is only slow: nearly ten minutes. */
const MOST_WAITS = 60;

/**
 * Returns one more wait for the account of another lane; where waiting leads nowhere, a park that names both users.
 *
 * @param bound the lane that has the account
 * @param asked how many times the account of a leaver was asked to give its name away
 */
export function waitFor(lane: LeasedLane, bound: Bound, asked?: number): Outcome {
  const { lookup } = lane.call;
  const waited = (lookup?.waited ?? 0) + 1;
  const most = bound.waiting === true ? MOST_WAITS_IN_CIRCLES : MOST_WAITS;
  if (bound.parked || waited > most) return standstill(lane.subject, bound);
  return {
    kind: 'wait',
    detail: `waits for ${bound.subject}`,
    lookup: {
      ...(lookup ?? { why: 'lost' }),
      waited,
      behind: bound.subject,
      ...(asked === undefined ? {} : { asked }),
    },
  };
}

// Ids and no addresses: this is kept with the attempts. The platform did not refuse, so a few users who swap their
// addresses do not pause the destination.
function standstill(userId: string, bound: Bound): Outcome {
  const why = bound.waiting === true || bound.parked ? ', whose change cannot be sent either: have they swapped?' : '';
  return {
    kind: 'park',
    reason: 'account_belongs_to_someone_else',
    detail:
      `${userId} needs an e-mail address or external_id that the platform still has for ${bound.subject}` +
      `${why || ', whose change is not through yet.'} Retry ${bound.subject} first and ${userId} after that; ` +
      `if both are refused again, give one of them an interim address first.`,
  };
}
