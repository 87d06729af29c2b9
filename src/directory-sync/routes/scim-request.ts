import type { ServerResponse } from 'node:http';
import { DomainError } from '../../base/errors/domain-error.js';
import type { AnswerShare } from '../../base/http/answer-budget.js';
import { scimMediaType, sendBody } from '../../base/http/answer.js';
import type { RequestEffect } from '../../base/http/request.js';
import type { Dialect } from '../../protocols/scim/dialects/dialects.js';
import { matchesIfMatch } from '../../protocols/scim/resource/etag.js';
import type { ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';
import type { Actor, ChangeSource } from '../../tenancy/identity/person.js';
import type { WriteContext, WritingDirectory } from '../users/write/write-case.js';

export interface CurrentDirectory {
  tenantId: string;
  id: string;
  dialect: Dialect;
  userType: ResourceTypeDef;
  writing: WritingDirectory;
  /**
   * Owners of the users that this directory sees. First the directory itself, then '' for unmanaged users, then the
   * directories of a take-over.
   */
  owners: string[];
  actor: Actor;
  /** The base address of its resources: `https://…/scim/v2`. */
  scimBase: string;
}

/**
 * Returns whether the directory reads users through its stored writes: in preview, or until an administrator decides.
 */
export function readsKept({ writing }: CurrentDirectory): boolean {
  return writing.state === 'preview' || writing.keepsWrites;
}

export function writeContext(directory: CurrentDirectory, requestId: string, receivedAt: Date): WriteContext {
  const source: ChangeSource = {
    request_id: requestId,
    surface: 'scim',
    directory_id: directory.id,
    actor: directory.actor,
  };
  return { tenantId: directory.tenantId, channel: 'scim', directory: directory.writing, source, receivedAt };
}

export interface RequestFacts {
  requestId: string;
  receivedAt: Date;
  ifMatch: string | undefined;
  share: AnswerShare;
  /** Receives the effect of the write, for the logs. */
  done?: (effect: RequestEffect) => void;
  withMembers?: boolean;
}

/** Limits of lists. The ServiceProviderConfig announces the same figures. */
export const LIST_LIMITS = { defaultCount: 100, maxCount: 1000 } as const;

/** Limits of `/Bulk`; `maxPayloadSize` in bytes. The ServiceProviderConfig announces the same figures. */
export const BULK_LIMITS = { maxOperations: 1000, maxPayloadSize: 4 * 1024 * 1024 } as const;

export function answerScim(
  res: ServerResponse,
  status: number,
  text: string | Buffer,
  etag?: string,
  location?: string,
): void {
  // Bytes take half the memory of the text while a slow client reads.
  const body = typeof text === 'string' && text.length > 64 * 1024 ? Buffer.from(text) : text;
  const headers: Record<string, string> = { 'Content-Type': scimMediaType(res.req.headers.accept) };
  if (etag !== undefined) headers['ETag'] = etag;
  if (location !== undefined) headers['Location'] = location;
  sendBody(res, status, body, headers);
}

/** Sends an answer without a body: 204, or 304 with the current entity tag. */
export function answerEmpty(res: ServerResponse, status: 204 | 304, etag?: string): void {
  res.writeHead(status, etag === undefined ? {} : { ETag: etag });
  res.end();
}

/** 412 (RFC 7644 §3.14). */
class PreconditionFailed extends DomainError {
  readonly kind = 'precondition-failed';
  readonly code = 'precondition_failed';
  constructor() {
    super('The resource has changed since this version; read it again.');
  }
}

/** 501. */
export class NotImplemented extends DomainError {
  readonly kind = 'not-implemented';
  readonly code = 'not_implemented';
}

/** 403, such as for a filter on a discovery endpoint (RFC 7644 §4). */
export class Forbidden extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'forbidden';
}

/**
 * Checks `If-Match` (RFC 7644 §3.14).
 *
 * @throws {DomainError} 412 when the client saw another version than the stored one
 */
export function requireVersion(tag: string, ifMatch: string | undefined): void {
  if (!matchesIfMatch(ifMatch, tag)) throw new PreconditionFailed();
}
