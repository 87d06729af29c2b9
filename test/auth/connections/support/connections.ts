import type { Answer } from '../../../support/http.js';
import type { AdminTenant } from './auth-admin.js';

export const SECRET = 'the-client-secret-canary';

/** What an admin sends for a connection by OIDC. */
export const oidc = (more: object = {}): object => ({
  type: 'oidc',
  name: 'Okta',
  issuer: 'https://idp.example.com',
  client_id: 'client',
  client_secret: SECRET,
  ...more,
});

/** The same by SAML, with a certificate of the IdP. */
export const samlWith = (pem: string, more: object = {}): object => ({
  type: 'saml',
  name: 'ADFS',
  idp_entity_id: 'https://idp.example.com',
  sso_url: 'https://idp.example.com/sso',
  certificates: [pem],
  ...more,
});

/** Makes a connection. Out: as it is answered. */
export async function makeConnection({ api }: AdminTenant, body: object): Promise<Answer['body']> {
  const answer = await api.post('/connections', body);
  if (answer.status !== 201) throw new Error(`connection: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** The fields that a refusal names. */
export const fields = (body: { errors?: { field: string }[] }): string[] =>
  (body.errors ?? []).map(({ field }) => field);
