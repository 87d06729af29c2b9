import { Injectable } from '@nestjs/common';
import { hashToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';

/** The messages that count once: of IdPs, and assertions of clients. */
@Injectable()
export class UsedMessages {
  constructor(private readonly db: Database) {}

  /**
   * Notes a message that must not come twice.
   *
   * @param senderId the connection or the client
   * @returns false when it came before
   */
  async use(
    tenantId: string,
    senderId: string,
    messageId: string,
    until: Date,
    db: SqlRunner = this.db,
  ): Promise<boolean> {
    // Hashed: the sender decides the length of an id, and an index entry is limited.
    const { rowCount } = await db.query(
      `insert into used_messages (tenant_id, connection_id, message_id, until) values ($1, $2, $3, $4)
       on conflict do nothing`,
      [tenantId, senderId, hashToken(messageId).toString('base64url'), until],
    );
    return rowCount === 1;
  }
}
