import { PRIVATE_HINT } from '../../base/http/destination-networks.js';
import type { Verdict } from '../../engine/delivery/retry.rules.js';
import { idIn, platformIdOf } from '../platform-user.mapping.js';

/** The finding when this installation cannot read the stored key, so that the platform is not asked. */
export const KEY_UNREADABLE =
  'The platform was not asked: no key of ENCRYPTION_KEY opens the stored API key of the platform. Put the key that sealed it ' +
  'back into ENCRYPTION_KEY and restart, or set api_key anew.';

export function findingOf(verdict: Verdict, baseUrl: string, path: string): { ok: boolean; message: string } {
  const no = (message: string): { ok: boolean; message: string } => ({ ok: false, message });
  switch (verdict.kind) {
    case 'ok':
      if (typeof (verdict.body as { found?: unknown } | null)?.found === 'boolean') {
        return { ok: true, message: 'The platform answered as it should: the address and the key are good.' };
      }
      return no(`${baseUrl}${path} answers, but not as the platform's users API does: is the address right?`);
    case 'missing':
      return no(`${baseUrl} answers, but there is nothing at ${path} (${verdict.status}): is the address right?`);
    case 'conflict':
    case 'refused':
      return no(`The platform refused the question with ${verdict.status}: ${verdict.words}`);
    case 'stopped':
      return no(stoppedBy(verdict));
    case 'unavailable':
      return no(awayBy(verdict, baseUrl));
  }
}

function stoppedBy(verdict: Verdict & { kind: 'stopped' }): string {
  switch (verdict.reason) {
    case 'credential_refused':
      return `The platform does not accept the key (${verdict.status}).`;
    case 'redirect':
      return `The address leads elsewhere (${verdict.status}${verdict.words ? ` to ${verdict.words}` : ''}): enter the final one.`;
    case 'address_refused':
      return `The address is not a public one, so this service does not connect to it; ${PRIVATE_HINT}.`;
  }
}

function awayBy(verdict: Verdict & { kind: 'unavailable' }, baseUrl: string): string {
  switch (verdict.reason) {
    case 'html':
      return `${baseUrl} answers with a web page instead of the API: a wrong address, or maintenance.`;
    case 'not_json':
      return `${baseUrl} answers with something that is no JSON: a wrong address, or maintenance.`;
    case 'timeout':
      return `${baseUrl} did not answer in time.`;
    case 'refused':
      return `Nothing accepts connections at ${baseUrl}.`;
    case 'dns':
      return `The name in ${baseUrl} cannot be found.`;
    case 'tls':
      return `No secure connection to ${baseUrl} could be made: its certificate is not valid for us.`;
    case 'reset':
      return `${baseUrl} broke the connection off.`;
    default:
      return `The platform is in trouble (${verdict.status ?? verdict.reason}).`;
  }
}

// Checks of the answers of a trial.

/** The user of a trial. No mail can reach it: `.invalid` has no addresses (RFC 2606 §2). */
interface TrialUser {
  email: string;
  first_name: string;
  last_name: string;
  role: string;
  external_id: string;
}

export function trialUser(id: string): TrialUser {
  return {
    email: `talent-bridge-test-${id}@example.invalid`,
    first_name: 'Test',
    last_name: 'Of talent-bridge',
    role: 'User',
    external_id: `talent-bridge-test-${id}`,
  };
}

export type TrialProblem = string | null;

/** `GET resolve` answers a JSON object whose `found` is true with this id, or false. */
export function problemOfResolve(verdict: Verdict, id: string | null): TrialProblem {
  if (verdict.kind !== 'ok') return refusedWith(verdict, '200');
  const { found, id: named } = (verdict.body ?? {}) as { found?: unknown; id?: unknown };
  if (found !== (id !== null)) {
    return id === null
      ? 'The answer needs "found": false for an external_id that no user has.'
      : 'The answer needs "found": true for the external_id of the user that was just created.';
  }
  if (id !== null && platformIdOf(named) !== id) return `The answer needs the id ${id}, as the create answered it.`;
  return null;
}

/** A create, first or repeated, answers 2xx with the user's id. */
export function problemOfCreate(verdict: Verdict, known: string | null): TrialProblem {
  if (verdict.kind !== 'ok') {
    const words = refusedWith(verdict, '201');
    return known === null ? words : `A repetition with the same Idempotency-Key needs the first answer again. ${words}`;
  }
  const id = idIn(verdict.body);
  if (id === null) return 'The answer needs the id of the user, as "id".';
  if (known !== null && id !== known) {
    return 'A repetition with the same Idempotency-Key made a second user. It needs the first answer again.';
  }
  return null;
}

/** The list by e-mail has the user with its `external_id`. */
export function problemOfList(verdict: Verdict, id: string, externalId: string): TrialProblem {
  if (verdict.kind !== 'ok') return refusedWith(verdict, '200');
  const list = Array.isArray(verdict.body)
    ? (verdict.body as unknown[])
    : (verdict.body as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) return 'The answer needs a list of users, as "data".';
  const entry = (list as ({ id?: unknown; external_id?: unknown } | null)[]).find(
    (one) => platformIdOf(one?.id) === id,
  );
  if (entry === undefined) return 'The list by e-mail does not hold the user that was just created.';
  return entry?.external_id === externalId ? null : 'The user in the list needs its external_id.';
}

/** An update or a deletion answers 2xx. */
export function problemOfWrite(verdict: Verdict): TrialProblem {
  return verdict.kind === 'ok' ? null : refusedWith(verdict, '200 or 204');
}

/** A second deletion answers 404, 410 or 2xx. */
export function problemOfGone(verdict: Verdict): TrialProblem {
  return verdict.kind === 'ok' || verdict.kind === 'missing' ? null : refusedWith(verdict, '404, 410 or 204');
}

function refusedWith(verdict: Verdict, wanted: string): string {
  const words = 'words' in verdict && verdict.words !== '' ? `: ${verdict.words}` : '';
  const answered =
    verdict.status === null && 'reason' in verdict ? `failed (${verdict.reason})` : `is ${verdict.status}`;
  return `The answer ${answered}, ${wanted} is needed${words}`;
}
