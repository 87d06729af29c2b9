import type { Answer, Client } from './http.js';
import { client } from './http.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

let made = 0;
/** A name that no other test of the run has. */
export const fresh = (start = 'n'): string => `${start}${process.pid.toString(36)}${(made++).toString(36)}`;

/** An e-mail that no other call gives. */
export const mail = (): string => `${fresh()}@x.example`;

/** A body that creates a user. */
export const user = (userName: string, more: object = {}): object => ({ schemas: [USER], userName, ...more });

export const group = (displayName: string, more: object = {}): object => ({ schemas: [GROUP], displayName, ...more });

/** A PATCH body. */
export const patch = (...operations: object[]): object => ({ schemas: [PATCH_OP], Operations: operations });

/** A body that replaces one attribute. */
export const replace = (path: string, value: unknown): object => patch({ op: 'replace', path, value });

export const bulk = (operations: object[], more: object = {}): object => ({
  schemas: [BULK],
  ...more,
  Operations: operations,
});

/** A SCIM client of one directory. */
export const scim = (url: string, token: string | null): Client =>
  client(`${url}/scim/v2`, token, 'application/scim+json');

/** The parts of a SCIM error that a client looks at. */
export const failure = ({ status, body }: Answer): unknown[] => [status, body?.scimType, body?.status];

/** Makes a user and answers their id; fails where the server does not. */
export async function madeUser(directory: Client, body: object = user(`${fresh()}@example.com`)): Promise<string> {
  const answer = await directory.post('/Users', body);
  if (answer.status !== 201) throw new Error(`no user: ${answer.status} ${answer.text}`);
  return answer.body.id as string;
}

export async function madeGroup(directory: Client, members: string[] = [], more: object = {}): Promise<string> {
  const body = group(fresh('Group '), { members: members.map((value) => ({ value })), ...more });
  const answer = await directory.post('/Groups', body);
  if (answer.status !== 201) throw new Error(`no group: ${answer.status} ${answer.text}`);
  return answer.body.id as string;
}

/** The ids of a group's members, sorted. */
export async function membersOf(directory: Client, id: string): Promise<string[]> {
  const { body } = await directory.get(`/Groups/${id}`);
  return ((body.members ?? []) as { value: string }[]).map(({ value }) => value).sort();
}
