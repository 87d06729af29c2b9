import { isErrorOf, statusIs } from '../forms/expect.rules.js';
import { finding, type DoctorFinding } from '../forms/finding.js';
import type { Check } from '../peer/check.js';
import { bearerOf, type Method } from '../peer/grants.js';
import type { ScimService } from '../peer/scim-service.js';

export const CREDENTIAL_PROBE = '/Users?startIndex=1&count=2';

/** Tries every credential that was given, a wrong one, and none. */
export function credentialCheck(methods: readonly Method[]): Check {
  return {
    name: 'credential',
    async run(service) {
      const found = unencrypted(service.address);
      for (const method of methods) {
        const { bearer, findings } = await bearerOf(service, method);
        found.push(...findings);
        if (bearer !== null) found.push(...statusIs(await service.get(CREDENTIAL_PROBE, { bearer }), 200));
      }
      return {
        findings: [...found, ...(await refusals(service))],
        note: methods.map(({ credential }) => credential.kind).join(', '),
      };
    },
  };
}

/** Returns findings unless a wrong credential and none are refused. */
export async function refusals(service: ScimService): Promise<DoctorFinding[]> {
  const found: DoctorFinding[] = [];
  for (const bearer of [`wrong-${service.run}`, null]) {
    const answer = await service.get(CREDENTIAL_PROBE, { bearer });
    if (answer.status < 400) {
      const words = bearer === null ? 'no credential' : 'a wrong credential';
      found.push(
        finding(
          'wrong_credential_accepted',
          'Authorization',
          `GET ${CREDENTIAL_PROBE} with ${words} is answered ${answer.status}.`,
        ),
      );
    } else found.push(...isErrorOf(answer, 401));
  }
  return found;
}

/** An address of this machine may be plain http: nothing leaves the machine. */
export function unencrypted({ protocol, hostname, origin }: URL): DoctorFinding[] {
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  if (protocol === 'https:' || isLoopback) return [];
  return [finding('https_missing', null, `${origin} is not https.`)];
}
