import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import type { RequestEffect } from '../../../base/http/request.js';
import { UsersService } from '../../users/write/users.service.js';
import type { WriteContext } from '../../users/write/write-context.js';
import type { Removal } from '../../users/write/write-parts.js';

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
