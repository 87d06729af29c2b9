import type { Actor, ChangeSource } from '../../tenancy/identity/person.js';
import type { Dialect } from '../../protocols/scim/dialects/dialects.js';
import type { ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';
import type { WriteContext, WritingDirectory } from '../users/write/write-context.js';

/** The directory of the token of a request, with all settings that the request needs. */
export interface CurrentDirectory {
  tenantId: string;
  id: string;
  dialect: Dialect;
  /** Users, with the attributes of the customer's own that the directory declares. */
  userType: ResourceTypeDef;
  writing: WritingDirectory;
  /**
   * Owners of the users that this directory sees. The directory itself is the first, '' means unmanaged users,
   * then follow directories that it takes over.
   */
  owners: string[];
  actor: Actor;
  /** The beginning of the addresses of its resources: `https://…/scim/v2`. */
  scimBase: string;
}

/** Returns whether the directory reads users through its writes that have no effect: in preview, or until an admin decides. */
export function readsKept({ writing }: CurrentDirectory): boolean {
  return writing.state === 'preview' || writing.keepsWrites;
}

/** Returns the context of a write by a directory. */
export function writeContext(directory: CurrentDirectory, requestId: string, receivedAt: Date): WriteContext {
  const source: ChangeSource = {
    request_id: requestId,
    surface: 'scim',
    directory_id: directory.id,
    actor: directory.actor,
  };
  return { tenantId: directory.tenantId, channel: 'scim', directory: directory.writing, source, receivedAt };
}
