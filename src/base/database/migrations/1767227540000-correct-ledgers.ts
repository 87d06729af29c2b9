import type { MigrationInterface, QueryRunner } from 'typeorm';
import { newId } from '../../ids.js';

const KINDS = ['claim', 'release', 'update', 'limit', 'policy', 'opening', 'repair'];
const TENANTS = 1_000;
const SEAL_CHAIN = 'seal_chain(text, text, bigint[], bytea[], int[], timestamptz[], timestamptz, bytea, text)';
/** Refuses a batch whose ids do not rise: a process of the version before orders them as text. */
const REFUSAL = `
        if p_ids <> array(select id from unnest(p_ids) as u(id) order by u.id) then
          raise exception 'lines are sealed in the order of their ids' using errcode = 'insufficient_privilege';
        end if;`;
const LOCKED = `if not found then raise exception 'the chain % has no head', p_chain using errcode = 'no_data_found'; end if;`;

/**
 * Lines of the seat ledger were sealed in the order of their ids as text. Each tenant with such a ledger gets one task, which
 * corrects it by lines of the kind `correction`. The database refuses a batch in another order than that of the ids, so a
 * process of the version before makes no further wrong pair while it is replaced.
 */
export class CorrectLedgers1767227540000 implements MigrationInterface {
  name = 'CorrectLedgers1767227540000';
  /** The lines of all ledgers are checked without a lock that stops writes. Each step can be repeated. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await allow(db, [...KINDS, 'correction']);
    await db.query(`alter table seat_entries validate constraint seat_entries_kind_check`);
    await refuse(db, true);
    for (let after = ''; ;) {
      const tenants = (await db.query(
        `select h.tenant_id from chain_heads h where h.chain = 'seats' and h.sequence > 1 and h.tenant_id > $1
           and not exists (select 1 from tasks t where t.tenant_id = h.tenant_id and t.kind = 'seats.correct')
         order by h.tenant_id limit ${TENANTS}`,
        [after],
      )) as { tenant_id: string }[];
      await db.query(
        `insert into tasks (tenant_id, id, kind, payload, created_by)
         select tenant_id, id, 'seats.correct', '{}', '{"kind":"system","id":"system","name":"upgrade"}'
         from unnest($1::text[], $2::text[]) as t(tenant_id, id)`,
        [tenants.map((row) => row.tenant_id), tenants.map(() => newId('tsk'))],
      );
      if (tenants.length < TENANTS) return;
      after = tenants.at(-1)!.tenant_id;
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`delete from tasks where kind = 'seats.correct'`);
    await refuse(db, false);
    await allow(db, KINDS);
  }
}

/** Sets the kinds of lines. Lines that are there already are not looked at. */
async function allow(db: QueryRunner, kinds: readonly string[]): Promise<void> {
  await db.query(`
    alter table seat_entries drop constraint if exists seat_entries_kind_check,
      add constraint seat_entries_kind_check check (kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})) not valid`);
}

/** Adds the refusal to the function that seals a batch, or takes it away. Owner and rights of the function stay. */
async function refuse(db: QueryRunner, refused: boolean): Promise<void> {
  const found = (await db.query(`select pg_get_functiondef('${SEAL_CHAIN}'::regprocedure) as text`)) as [
    { text: string },
  ];
  const before = found[0].text.replace(REFUSAL, '');
  if (!before.includes(LOCKED)) throw new Error('the function that seals a batch is not the one of the version before');
  await db.query(refused ? before.replace(LOCKED, LOCKED + REFUSAL) : before);
}
