import type { Actor, ChangeSource } from '../identity/source.js';
import type { Dialect } from '../scim/dialects/dialects.js';
import type { WriteContext, WritingDirectory } from '../users/write/write-context.js';

/** The directory that a request's token names, with all that the request will ask of it. */
export interface CurrentDirectory {
  tenantId: string;
  id: string;
  dialect: Dialect;
  writing: WritingDirectory;
  /** Whose people this directory shows: its own first, '' for the unmanaged ones, and those of a take-over. */
  owners: string[];
  actor: Actor;
  /** What the addresses of its resources begin with: `https://…/scim/v2`. */
  scimBase: string;
}

/** The context of a write by a directory. */
export function writeContext(directory: CurrentDirectory, requestId: string, receivedAt: Date): WriteContext {
  const source: ChangeSource = {
    request_id: requestId,
    surface: 'scim',
    directory_id: directory.id,
    actor: directory.actor,
  };
  return { tenantId: directory.tenantId, channel: 'scim', directory: directory.writing, source, receivedAt };
}
