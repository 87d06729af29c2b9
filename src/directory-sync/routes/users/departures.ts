import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import type { RequestEffect } from '../../../base/http/request.js';
import type { UserDocument } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import type { WriteContext } from '../../users/write/write-context.js';
import { UsersService } from '../../users/write/users.service.js';
import type { Removal } from '../../users/write/write-parts.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';
import type { RequestFacts } from '../request-facts.js';

/** Returns a check whether a user is the directory's own. */
export const isOf =
  (directory: CurrentDirectory) =>
  (row: UserRow): boolean =>
    row.directory_id === directory.id;

/**
 * Returns the departure in a write of a directory that has a live successor; null: the write has no effect. A user whom
 * the successor has not linked yet leaves when the old directory deactivates it.
 */
export function departureIn(before: UserDocument, after: UserDocument, mine: boolean): UserDocument | null {
  return mine && after['active'] === false ? { ...before, active: false } : null;
}

/** Returns the context of a write of a directory. Departures of a directory with a live successor take effect. */
export function ownContext(directory: CurrentDirectory, { requestId, receivedAt }: RequestFacts): WriteContext {
  const context = writeContext(directory, requestId, receivedAt);
  return directory.writing.superseded
    ? { ...context, directory: { ...directory.writing, superseded: false } }
    : context;
}

/** Removes users for a directory, and finds out whether the removal is held. */
@Injectable()
export class UserRemovals {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
  ) {}

  /**
   * Removes a user.
   *
   * @throws {NotFound} when there is no such user that the directory may see
   */
  async remove(context: WriteContext, id: string, removal: Pick<Removal, 'visible' | 'check'>): Promise<RequestEffect> {
    let isRemoved = false;
    await this.users.remove(context, id, {
      visible: removal.visible,
      // Called at the beginning of each try.
      check: (row) => {
        isRemoved = false;
        removal.check?.(row);
      },
      // Called where the removal takes effect.
      afterWrite: () => {
        isRemoved = true;
        return Promise.resolve();
      },
    });
    const held = isRemoved ? null : await this.reason(context.tenantId, id);
    return { outcome: 'deleted', userId: id, held };
  }

  private async reason(tenantId: string, id: string): Promise<string | null> {
    const { rows } = await this.db.query<{ held: string | null }>(
      `select held from users where tenant_id = $1 and id = $2`,
      [tenantId, id],
    );
    return rows[0]?.held ?? null;
  }
}
