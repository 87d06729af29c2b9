import type { House } from './house.js';
import { send, type Answer } from './http.js';

/** A client of a directory as its creation answers. */
export interface MadeClient {
  id: string;
  client_secret: string;
  token_url: string;
  secrets: { id: string }[];
}

/** Creates a client of the directory of a house; of the kind `secret` unless set. */
export async function madeClient(at: House, settings: object = {}): Promise<MadeClient> {
  const made = await at.api.post(`/directories/${at.directoryId}/clients`, { kind: 'secret', ...settings });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.body as MadeClient;
}

/** Requests an access token by a form. */
export function askToken(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString();
  return send('POST', `${url}/oauth/token`, null, body, {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  });
}

/** The form of a client with a secret. */
export const secretForm = ({ id, client_secret }: MadeClient): Record<string, string> => ({
  client_id: id,
  client_secret,
});

/** Returns an access token of a client with a secret. */
export async function accessTokenOf(url: string, client: MadeClient): Promise<string> {
  const answer = await askToken(url, secretForm(client));
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return (answer.body as { access_token: string }).access_token;
}
