import { PRIVATE_HINT } from '../../../base/http/destination-networks.js';
import type { Verdict } from '../../../engine/delivery/retry.rules.js';

/** Returns in plain words what a question about an unknown interview has found: an engine answers 404 with JSON. */
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
