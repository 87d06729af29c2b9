import { isScimPath, pathOf, type BridgeRequest, type OperationEffect } from '../../base/http/request.js';
import { USER_TYPE, type ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';
import { recognisedDialect } from '../../protocols/scim/dialects/dialects.js';

export interface LoggedRequest {
  tenantId: string;
  /** An operation of a Bulk request has the id of the request, a dot and the place. */
  id: string;
  directoryId: string;
  credentialId: string;
  method: string;
  /** Without the query; a value of the caller is replaced by its name, such as `:id`. `{id}`: the user or group. */
  path: string;
  status: number;
  durationMs: number;
  dialect: string | null;
  userId: string | null;
  groupId: string | null;
  outcome: string | null;
  held: string | null;
  linkedBy: string | null;
  code: string | null;
  scimType: string | null;
  detail: string | null;
  /** The `userName` in the body of a refused request for an unknown user. */
  userName: string | null;
  /** Null without a body, or when its length is unknown. */
  bodyBytes: number | null;
  /** The body unchanged, secrets included; null without JSON, or when it is too long. */
  body: string | null;
  userType: ResourceTypeDef;
}

/** Longer bodies are not kept: they are Bulk requests and groups of more than a thousand members. */
export const MAX_LOGGED_BODY = 64 * 1024;

const RESOURCES = new Set(['Users', 'Groups', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig']);
const OWN_ID = /^(usr|grp)_[0-9a-hjkmnp-tv-z]{26}$/;
const MAX_DETAIL = 500;

type Facts = Pick<
  BridgeRequest,
  'id' | 'originalUrl' | 'method' | 'headers' | 'body' | 'rawBody' | 'tenantId' | 'credentialId' | 'directoryId'
> &
  Pick<BridgeRequest, 'effect' | 'refusal'> & {
    readonly directory?: { readonly userType: ResourceTypeDef };
  };

/** Returns a request for the log; null when it is no SCIM request, or has no valid token. */
export function loggedRequestOf(req: Facts, status: number, durationMs: number): LoggedRequest | null {
  const { tenantId, directoryId, credentialId, effect, refusal } = req;
  if (tenantId === undefined || directoryId === undefined || credentialId === undefined) return null;
  const url = pathOf(req);
  if (!isScimPath(url)) return null;
  const { path, userId, groupId } = addressOf(url);
  // A body without JSON was not parsed, and can contain bytes that are no text.
  const body = req.rawBody === undefined || req.body === undefined ? null : req.rawBody.toString('utf8');
  return {
    tenantId,
    id: req.id,
    directoryId,
    credentialId,
    method: req.method,
    path,
    status,
    durationMs,
    dialect: recognisedDialect(req.headers['user-agent'], body),
    userId: userId ?? effect?.userId ?? null,
    groupId: groupId ?? effect?.groupId ?? null,
    outcome: effect?.outcome ?? null,
    held: effect?.held ?? null,
    linkedBy: effect?.linkedBy ?? null,
    code: refusal?.code ?? null,
    scimType: refusal?.scim_type ?? null,
    detail: shortened(refusal?.reason ?? effect?.detail),
    userName: status >= 400 && userId === null && effect?.userId === undefined ? userNameIn(req.body) : null,
    bodyBytes: lengthOf(req),
    body,
    userType: req.directory?.userType ?? USER_TYPE,
  };
}

/** Returns the rows of the operations of a Bulk request: they lead from each user to the request. */
export function loggedOperationsOf(
  row: LoggedRequest,
  operations: readonly (OperationEffect | undefined)[],
): LoggedRequest[] {
  const isRefused = operations.some((operation) => operation !== undefined && operation.status >= 400);
  const sent = isRefused ? operationsIn(row.body) : [];
  return operations.flatMap((operation, index) => {
    if (operation === undefined) return [];
    const { method, status, scimType, effect } = operation;
    const { path, userId, groupId } = addressOf(operation.path);
    return [
      {
        ...row,
        id: `${row.id}.${String(index + 1).padStart(4, '0')}`,
        method,
        path,
        status,
        userId: userId ?? effect?.userId ?? null,
        groupId: groupId ?? effect?.groupId ?? null,
        outcome: effect?.outcome ?? null,
        held: effect?.held ?? null,
        linkedBy: effect?.linkedBy ?? null,
        scimType: scimType ?? null,
        detail: shortened(effect?.detail),
        userName: status >= 400 && userId === null ? userNameIn(sent[index]?.['data']) : null,
        bodyBytes: null,
        body: null,
      },
    ];
  });
}

/** Attributes are named in any case (RFC 7643 §2.1). */
function userNameIn(body: unknown): string | null {
  if (body === null || typeof body !== 'object') return null;
  const [, value] = Object.entries(body).find(([name]) => name.toLowerCase() === 'username') ?? [];
  return typeof value === 'string' ? shortened(value) : null;
}

function operationsIn(body: string | null): Record<string, unknown>[] {
  try {
    const { Operations: operations } = JSON.parse(body ?? '{}') as { Operations?: unknown };
    return Array.isArray(operations) ? (operations as Record<string, unknown>[]) : [];
  } catch {
    return [];
  }
}

function addressOf(url: string): { path: string; userId: string | null; groupId: string | null } {
  const [, resource, id] = /^\/scim\/v2(?:\/([^/]+)(?:\/([^/]+))?)?\/?$/.exec(url) ?? [, '', ''];
  const none = { userId: null, groupId: null };
  if (resource === undefined) return { path: '/scim/v2', ...none };
  if (resource === '.search' && id === undefined) return { path: '/scim/v2/.search', ...none };
  if (!RESOURCES.has(resource)) return { path: 'unmatched', ...none };
  const path = `/scim/v2/${resource}`;
  if (id === undefined) return { path, ...none };
  if (id === '.search') return { path: `${path}/.search`, ...none };
  if (!OWN_ID.test(id)) return { path: `${path}/:id`, ...none };
  return {
    path: `${path}/{id}`,
    userId: resource === 'Users' ? id : null,
    groupId: resource === 'Groups' ? id : null,
  };
}

function lengthOf({ rawBody, headers }: Facts): number | null {
  if (rawBody !== undefined) return rawBody.length;
  const length = Number(headers['content-length'] ?? 0);
  return length > 0 && length <= 0x7fffffff ? length : null;
}

function shortened(text: string | undefined): string | null {
  return text?.slice(0, MAX_DETAIL).replace(/\p{Cc}|\p{Cs}/gu, '\ufffd') ?? null;
}
