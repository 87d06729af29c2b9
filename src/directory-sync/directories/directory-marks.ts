import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { EventsRepository, type NewEvent } from '../../engine/events/events.service.js';

/** A refused credential; `prefix` holds no part of the secret. */
export interface TokenRefusal {
  /** ISO 8601. */
  at: string;
  /**
   * Of a token: `unknown`, `expired`, `revoked`, `access_token_expired`. `incomplete`: it has the form of a token, and its length
   * or checksum is wrong, so it was cut or changed. `doubled_bearer`: the header says `Bearer` twice. `no_bearer`: the header
   * does not say it. `not_a_scim_token`: a credential of another kind. `outside_allow_from`: the credential is valid, and came from
   * an address that the directory does not admit. Of a client: one of `ClientRefusalReason`.
   */
  reason: string;
  prefix: string;
  /** Where a request came from that `allow_from` refused, or that no directory has the token of. */
  address?: string | null;
  /** No directory has a token with this beginning; the tenant has one directory, which may be meant. */
  unassigned?: true;
  /** Of a client that got no access token. */
  client_id?: string;
  kind?: string;
}

/** Why a user does not get a role of SCIM `roles`. */
export type RoleRefusal = 'unknown_role' | 'role_needs_admin';

/** A role that a directory has written and that its user did not get. */
export interface RefusedRoleMark {
  /** ISO 8601. */
  at: string;
  role: string;
  user_id: string;
  reason: RoleRefusal;
}

/**
 * Whether a request comes after a pause. The usual pause of a directory is its longest one, which each shorter one makes
 * shorter by a tenth: an IdP that writes when something happens has pauses of all lengths.
 */
const PAUSE = `u.at - d.last_request_at >= interval '1 minute'`;

/** Stores the last events of a directory on its row: last request, refused token and refused role. */
@Injectable()
export class DirectoryMarks {
  constructor(
    private readonly db: Database,
    private readonly records: EventsRepository,
  ) {}

  /** Stores a role that a user did not get. */
  async refusedRole(tenantId: string, directoryId: string, found: RefusedRoleMark): Promise<void> {
    await this.db.query(`update directories set last_unknown_role = $3 where tenant_id = $1 and id = $2`, [
      tenantId,
      directoryId,
      found,
    ]);
  }

  /**
   * Stores a refused token at its directory, and records the event. The directory of an unknown token is the one that has a
   * token with its beginning; else the refusal is the tenant's, with the address that it came from.
   *
   * @param directoryId null: the token is unknown
   */
  async refusedToken(
    tenantId: string,
    directoryId: string | null,
    refusal: TokenRefusal,
    unknown: { begins: string; address: string | null } | null = null,
  ): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const own = directoryId ?? (await this.directoryOf(tx, tenantId, unknown?.begins ?? refusal.prefix));
      const id = own === null ? await this.unassigned(tx, tenantId, refusal, unknown?.address ?? null) : own;
      // A wrong token can name a tenant that does not exist.
      if (id === undefined) return;
      if (own !== null) await this.mark(tx, tenantId, own, refusal);
      const { at, reason, prefix } = refusal;
      // A client whose access token has expired gets the next one.
      if (reason === 'access_token_expired') return;
      const event: NewEvent = {
        event: 'directory.refused',
        data: { directory_id: id, reason, token_prefix: prefix },
        // Any client that knows the tenant's id can cause a refusal: one event a day for each directory and reason.
        threshold: `${id ?? 'none'} ${reason} ${at.slice(0, 10)}`,
      };
      await this.records.record(tenantId, [event], tx);
    });
  }

  private async directoryOf(tx: SqlRunner, tenantId: string, begins: string): Promise<string | null> {
    const { rows } = await tx.query<{ id: string }>(
      `select t.directory_id as id from scim_tokens t join directories d on d.tenant_id = t.tenant_id and d.id = t.directory_id
       where t.tenant_id = $1 and t.prefix = $2 and d.deleted_at is null limit 1`,
      [tenantId, begins],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Stores a refusal of a token that no directory has. A single directory is marked too: it may be being connected.
   *
   * @returns that directory; null: there are none or several; undefined: there is no such tenant
   */
  private async unassigned(
    tx: SqlRunner,
    tenantId: string,
    refusal: TokenRefusal,
    address: string | null,
  ): Promise<string | null | undefined> {
    const { rows: tenants } = await tx.query(
      `insert into refused_tokens as r (tenant_id, refusal) select id, $2 from tenants where id = $1
       on conflict (tenant_id) do update set refusal = excluded.refusal returning 1`,
      [tenantId, { ...refusal, address }],
    );
    if (tenants.length === 0) return undefined;
    const { rows } = await tx.query<{ id: string }>(
      `select id from directories where tenant_id = $1 and deleted_at is null limit 2`,
      [tenantId],
    );
    if (rows.length !== 1) return null;
    await this.mark(tx, tenantId, rows[0]!.id, { ...refusal, unassigned: true });
    return rows[0]!.id;
  }

  private async mark(tx: SqlRunner, tenantId: string, id: string, refusal: TokenRefusal): Promise<void> {
    await tx.query(`update directories set last_refusal = $3 where tenant_id = $1 and id = $2 and deleted_at is null`, [
      tenantId,
      id,
      refusal,
    ]);
  }

  /** Stores the times of the last requests of directories. */
  async seen(uses: readonly { tenantId: string; directoryId: string; at: Date }[]): Promise<void> {
    await this.db.query(
      `update directories d set last_request_at = u.at,
         pauses = case when ${PAUSE} then d.pauses + 1 else d.pauses end,
         usual_pause_seconds = case
           when ${PAUSE} then greatest(extract(epoch from u.at - d.last_request_at)::int, d.usual_pause_seconds * 9 / 10)
           else d.usual_pause_seconds end
       from (select tenant_id, id, max(at) as at
             from unnest($1::text[], $2::text[], $3::timestamptz[]) n (tenant_id, id, at) group by 1, 2) u
       where d.tenant_id = u.tenant_id and d.id = u.id and (d.last_request_at is null or d.last_request_at < u.at)`,
      [uses.map((use) => use.tenantId), uses.map((use) => use.directoryId), uses.map((use) => use.at)],
    );
  }
}
