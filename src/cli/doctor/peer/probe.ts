import { SPC_URN, LIST_RESPONSE_URN, ERROR_URN } from '../../../protocols/scim/urns.js';
import { valueAt, type Answer } from '../forms/answer.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import { callPlain, NoAnswer } from './http-call.js';
import type { ScimService } from './scim-service.js';

/**
 * Looks whether a SCIM service answers at the address and takes the credential.
 *
 * @returns why no check can run, or null
 */
export async function obstacle(service: ScimService): Promise<DoctorFinding | null> {
  try {
    const config = await service.get('/ServiceProviderConfig');
    const users = await service.get('/Users?startIndex=1&count=1');
    if (![config, users].some(isScim)) return await notScim(service, config);
    const { status } = users;
    if (status !== 401 && status !== 403) return null;
    const detail = valueAt(users.body, 'detail');
    const words = `${service.address.href} refuses the credential with ${status}`;
    return finding(
      'credential_refused',
      'Authorization',
      `${words}${typeof detail === 'string' ? `: ${detail}` : '.'}`,
    );
  } catch (error) {
    if (error instanceof NoAnswer) return error.finding;
    throw error;
  }
}

function isScim({ body }: Answer): boolean {
  const schemas = valueAt(body, 'schemas');
  return Array.isArray(schemas) && [SPC_URN, LIST_RESPONSE_URN, ERROR_URN].some((urn) => schemas.includes(urn));
}

/** Names the SCIM address where one is known below the address; no credential is sent there. */
async function notScim({ address }: ScimService, { status, headers }: Answer): Promise<DoctorFinding> {
  const target = status >= 300 && status < 400 ? ` to ${headers['location'] ?? 'no address'}` : '';
  const words = `${address.href} is no SCIM service: GET /ServiceProviderConfig is answered ${status}${target}.`;
  const usual = `${address.origin}/scim/v2`;
  const answer = await callPlain({ method: 'GET', url: `${usual}/ServiceProviderConfig`, headers: {} }).catch(
    () => null,
  );
  const isThere = answer !== null && answer.status === 200 && answer.text.includes(SPC_URN);
  return finding(
    isThere || target === '' ? 'not_scim' : 'redirected',
    null,
    isThere ? `${words} There is one at ${usual}.` : words,
  );
}
