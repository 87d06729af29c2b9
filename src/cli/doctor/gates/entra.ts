import { refusals, unencrypted } from '../checks/access.js';
import { statusIs } from '../forms/expect.rules.js';
import { jsonOf, valueAt, finding, inJson, type DoctorFinding } from '../forms/finding.js';
import { skipped, type Check, type Checked } from '../peer/check.js';
import {
  type DirectoryCredential,
  askForToken,
  bearerOf,
  tokenUrlOf,
  type Method,
  tokenRequest,
} from '../peer/grants.js';
import type { ScimService } from '../peer/scim-service.js';
import { ENTRA_DIRECT_TESTS, ENTRA_PAGE_TESTS } from './entra-direct.js';
import { ENTRA_GROUP_TESTS } from './entra-groups.js';
import { ENTRA_USER_TESTS } from './entra-users.js';

/** Returns the 25 tests of the gallery of Entra ID, by their names there. */
export function entraTests(methods: readonly Method[]): Check[] {
  return [
    ...ENTRA_USER_TESTS,
    ...ENTRA_GROUP_TESTS,
    ...ENTRA_DIRECT_TESTS,
    { name: 'Validate_Credentials_Test', kind: 'mandatory', run: (service) => clientTest(service, methods) },
    { name: 'Federated_Identity_Test', kind: 'mandatory', run: (service) => federatedTest(service, methods) },
    ...ENTRA_PAGE_TESTS,
  ];
}

const isFederated = ({ credential }: Method) => credential.kind === 'federated';
const isClient = ({ credential }: Method) => credential.kind === 'secret' || credential.kind === 'private_key_jwt';

/** Client credentials: a token for the right client, none for a wrong one. One of this test and the next one is enough. */
async function clientTest(service: ScimService, methods: readonly Method[]): Promise<Checked> {
  const clients = methods.filter(isClient);
  const found = [...unencrypted(service.address), ...(await refusals(service))];
  for (const method of clients) {
    found.push(...(await admitted(service, method)));
    if (method.credential.kind === 'secret')
      found.push(...(await admitted(service, method, 'basic')), ...(await wrongSecret(service, method)));
  }
  if (clients.length > 0) return { findings: found, note: clients.map(({ credential }) => credential.kind).join(', ') };
  if (found.length > 0) return { findings: found };
  if (methods.some(isFederated)) return skipped('Federated_Identity_Test is enough');
  return {
    findings: [
      finding(
        'long_lived_token',
        'Authorization',
        'The gallery admits no long-lived token. A non-gallery application takes one.',
      ),
    ],
  };
}

async function federatedTest(service: ScimService, methods: readonly Method[]): Promise<Checked> {
  const federated = methods.filter(isFederated);
  if (federated.length === 0) {
    return skipped(
      methods.some(isClient) ? 'Validate_Credentials_Test is enough' : 'no federated credential was given',
    );
  }
  const found: DoctorFinding[] = [];
  for (const method of federated)
    found.push(...(await admitted(service, method)), ...(await wrongAudience(service, method)));
  return { findings: found };
}

async function admitted(
  service: ScimService,
  method: Method,
  place: 'post' | 'basic' = 'post',
): Promise<DoctorFinding[]> {
  const { bearer, findings } = await bearerOf(service, method, place);
  if (bearer === null) return findings;
  return [...findings, ...statusIs(await service.get('/Users?startIndex=1&count=1', { bearer }), 200)];
}

async function wrongSecret(service: ScimService, method: Method): Promise<DoctorFinding[]> {
  const credential = { ...method.credential, secret: `wrong-${service.run}` } as DirectoryCredential;
  return refused(service, { ...method, credential });
}

/** An assertion that the IdP has signed cannot be changed; with its key another audience is tried. */
async function wrongAudience(service: ScimService, method: Method): Promise<DoctorFinding[]> {
  const { credential } = method;
  if (credential.kind !== 'federated' || 'signed' in credential.assertion) return [];
  const assertion = { ...credential.assertion, audience: 'api://doctor-another-audience' };
  return refused(service, { ...method, credential: { ...credential, assertion } });
}

/** Returns findings unless a wrong client gets 401 `invalid_client` (RFC 6749 §5.2). */
async function refused(service: ScimService, method: Method): Promise<DoctorFinding[]> {
  const url = await tokenUrlOf(service, method);
  if (typeof url !== 'string' || method.credential.kind === 'token') return [];
  const { form, headers } = await tokenRequest(method.credential, url);
  const { status, text } = await askForToken(service, url, form, headers);
  if (status < 400)
    return [finding('wrong_credential_accepted', 'access_token', `POST ${url} gives a wrong client a token.`)];
  const error = valueAt(jsonOf(text), 'error');
  if (status === 401 && error === 'invalid_client') return [];
  return [
    finding(
      'token_form',
      'error',
      `POST ${url} answers a wrong client with ${status} ${inJson(error)}; expected: 401 "invalid_client".`,
    ),
  ];
}
