import { PRIVATE_HINT } from '../../base/http/destination-networks.js';
import type { Verdict } from '../../engine/delivery/retry.rules.js';

/** What is said instead of asking the platform, when the fault is this installation's. */
export const KEY_UNREADABLE =
  'The platform was not asked: no key of ENCRYPTION_KEY opens the stored API key of the platform. Put the key that sealed it ' +
  'back into ENCRYPTION_KEY and restart, or set api_key anew.';

/** In plain words, what a test of the platform's address and key found. */
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
