import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { chainHash } from '../../../src/base/crypto/chain.js';
import { Database } from '../../../src/base/database/database.js';
import { DomainEvents } from '../../../src/base/domain-events.js';
import { Logger } from '../../../src/base/log/logger.js';
import { hashOf, type SealedEntry } from '../../../src/seats/ledger/chain.rules.js';
import { SeatChain, SEALED_ENTRY_COLUMNS } from '../../../src/seats/seat-chain.js';
import { ChainKeys } from '../../../src/tenancy/ledger/chain-keys.js';
import type { SealedChain } from '../../../src/tenancy/ledger/chain.js';
import { DayClosing } from '../../../src/tenancy/ledger/day-closing.js';
import { HeadsRepository } from '../../../src/tenancy/ledger/heads.repository.js';
import { AuditChain } from '../../../src/tenancy/tenants/audit/audit.reader.js';
import { AUDIT_COLUMNS, auditHashInput, type AuditRow } from '../../../src/tenancy/tenants/audit/audit.rules.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';

// Everything that a superuser of the database can do to a chain, with the triggers switched off: the verifier finds it
// and names the first entry that does not fit.
let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

type Chain = 'seats' | 'audit';
const TABLES: Record<Chain, string> = { seats: 'seat_entries', audit: 'audit_entries' };
const CHAINS: Chain[] = ['seats', 'audit'];

interface Verdict {
  valid: boolean;
  sequence: number | undefined;
  problem: string | undefined;
}

/** A tenant with a chain of at least five sealed lines in both chains. */
async function house(): Promise<House> {
  const at = await newHouse(service);
  for (let i = 0; i < 5; i++) {
    await at.api.post('/users', { email: `p${i}@example.com`, first_name: 'P', last_name: String(i) });
    await at.api.post('/roles', { name: `Role ${i}`, takes_seat: true });
  }
  for (const chain of CHAINS) expect(await verdict(at, chain)).toEqual({ valid: true });
  return at;
}

async function verdict(at: House, chain: Chain, query = ''): Promise<Verdict> {
  const { body } = await at.api.post(`/${chain}/verify${query}`, {});
  return { valid: body.ok, sequence: body.sequence, problem: body.code };
}

/** Runs statements as superuser, with every trigger off. */
async function tamper(...statements: string[]): Promise<void> {
  await service.db.execute(
    ['begin', 'set local session_replication_role = replica', ...statements, 'commit'].join(';\n'),
  );
}

async function lengthOf(at: House, chain: Chain): Promise<number> {
  const { rows } = await service.db.query<{ n: number }>(
    `select sequence::int as n from chain_heads where tenant_id = $1 and chain = $2`,
    [at.tenantId, chain],
  );
  return rows[0]!.n;
}

/** Hashes the chain anew from its first line, as who knows the code can, and moves the head along. */
async function rehash(at: House, chain: Chain): Promise<void> {
  let last = '0'.repeat(64);
  const columns = chain === 'seats' ? SEALED_ENTRY_COLUMNS : AUDIT_COLUMNS;
  const { rows } = await service.db.query<Record<string, unknown>>(
    `select ${columns} from ${TABLES[chain]} where tenant_id = $1 and sequence is not null order by sequence`,
    [at.tenantId],
  );
  const statements = rows.map((row) => {
    const previous = last;
    last =
      chain === 'seats'
        ? hashOf({ ...(row as unknown as SealedEntry), previous_hash: previous })
        : chainHash(Buffer.from(previous, 'hex'), auditHashInput(row as unknown as AuditRow)).toString('hex');
    return `update ${TABLES[chain]} set previous_hash = '\\x${previous}', hash = '\\x${last}'
      where tenant_id = '${at.tenantId}' and sequence = ${Number(row['sequence'])}`;
  });
  await tamper(
    ...statements,
    `update chain_heads set hash = '\\x${last}', sequence = ${rows.length}
     where tenant_id = '${at.tenantId}' and chain = '${chain}'`,
  );
}

const source = (chain: Chain): SealedChain =>
  service.app.nest.get<SealedChain>(chain === 'seats' ? SeatChain : AuditChain);

/** Closes the day of now, as if it were over. */
async function closeToday(at: House, chain: Chain, daysLater = 1): Promise<void> {
  const { nest } = service.app;
  const clock = { now: () => new Date(Date.now() + daysLater * 86_400_000), monotonic: () => 0 };
  const closing = new DayClosing(
    nest.get(Database),
    clock,
    nest.get(ChainKeys),
    nest.get(HeadsRepository),
    nest.get(Logger),
    nest.get(DomainEvents),
  );
  await closing.close(source(chain), at.tenantId);
}

describe.each(CHAINS)('the chain of %s', (chain) => {
  const table = TABLES[chain];
  const edited = chain === 'seats' ? `role = 'Observer'` : `target_id = 'other'`;

  const cases: [string, (where: string, end: number, at: House) => Promise<void>, (end: number) => number, string][] = [
    ['a line is edited', (own) => tamper(`update ${table} set ${edited} where ${own} and sequence = 2`), () => 2, 'line changed'],
    ['a hash is replaced', (own) => tamper(`update ${table} set hash = previous_hash where ${own} and sequence = 3`), () => 3, 'line changed'],
    [
      'two lines change places',
      (own) =>
        tamper(
          `update ${table} set sequence = -1 where ${own} and sequence = 2`,
          `update ${table} set sequence = 2 where ${own} and sequence = 3`,
          `update ${table} set sequence = 3 where ${own} and sequence = -1`,
        ),
      () => 2,
      'order changed',
    ],
    ['a line in the middle is removed', (own) => tamper(`delete from ${table} where ${own} and sequence = 3`), () => 3, 'line missing'],
    ['the first lines are removed', (own) => tamper(`delete from ${table} where ${own} and sequence <= 2`), () => 1, 'line missing'],
    ['the tail is cut', (own, end) => tamper(`delete from ${table} where ${own} and sequence >= ${end - 1}`), (end) => end - 1, 'end missing'],
    [
      'the tail is cut and the head is moved back',
      (own, end) =>
        tamper(
          `delete from ${table} where ${own} and sequence > ${end - 2}`,
          `update chain_heads h set sequence = ${end - 2}, hash = e.hash from ${table} e
           where h.${own} and h.chain = '${chain}' and e.${own} and e.sequence = ${end - 2}`,
        ),
      (end) => end - 1,
      'end missing',
    ],
    ['the head is removed', (own) => tamper(`delete from chain_heads where ${own} and chain = '${chain}'`), (end) => end + 1, 'head missing'],
    ['the head is set to another place', (own) => tamper(`update chain_heads set sequence = 2 where ${own} and chain = '${chain}'`), () => 2, 'head replaced'],
    ['the head gets another hash', (own) => tamper(`update chain_heads set hash = sha256(hash) where ${own} and chain = '${chain}'`), (end) => end, 'head replaced'],
    ['the head loses its signature', (own) => tamper(`update chain_heads set signature = null where ${own} and chain = '${chain}'`), (end) => end, 'head not signed'],
    [
      'the chain is edited and hashed anew, with its head',
      async (own, _, at) => {
        await tamper(`update ${table} set ${edited} where ${own} and sequence = 2`);
        await rehash(at, chain);
      },
      (end) => end,
      'differs from signed head',
    ],
    [
      'the chain is hashed anew, and the signed head is replaced too',
      async (own, _, at) => {
        await tamper(`update ${table} set ${edited} where ${own} and sequence = 2`);
        await rehash(at, chain);
        await tamper(`update chain_heads set signed_hash = hash where ${own} and chain = '${chain}'`);
      },
      (end) => end,
      'signature invalid',
    ],
    ['all lines are removed', (own) => tamper(`delete from ${table} where ${own}`), () => 1, 'end missing'],
    [
      'all lines and the head are removed',
      (own) => tamper(`delete from ${table} where ${own}`, `delete from chain_heads where ${own} and chain = '${chain}'`),
      () => 1,
      chain === 'seats' ? 'head missing' : 'line missing',
    ],
  ]; // prettier-ignore

  it.each(cases)('is invalid when %s', async (_, damage, place, problem) => {
    const at = await house();
    const end = await lengthOf(at, chain);
    await damage(`tenant_id = '${at.tenantId}'`, end, at);
    expect(await verdict(at, chain)).toEqual({ valid: false, sequence: place(end), problem });
    // More lines do not heal it: sealing continues, and the evidence stays.
    await at.api.post('/users', { email: 'later@example.com', first_name: 'L', last_name: 'L' });
    await at.api.post('/roles', { name: 'Later', takes_seat: true });
    await at.api.post('/roles', { name: 'Latest', takes_seat: true });
    expect((await verdict(at, chain)).valid).toBe(false);
  });

  long('is invalid when it was replaced as a whole after its day was closed', async () => {
    const at = await house();
    const end = await lengthOf(at, chain);
    await closeToday(at, chain);
    const told = (await at.api.get('/events?event=chain.day_closed')).body.data as { data: { chain: string } }[];
    const { body: heads } = await at.api.get(`/${chain}/heads`);
    const { day, sequence, count, hash, signed, key_id, signature } = heads.data[0];
    expect(told.map(({ data }) => data)).toEqual([{ chain, day, sequence, count, hash, signed, key_id, signature }]);
    expect(await verdict(at, chain)).toMatchObject({ valid: true });
    const own = `tenant_id = '${at.tenantId}'`;
    await tamper(`update ${table} set ${edited} where ${own} and sequence = 2`);
    await rehash(at, chain);
    // As if an attacker had made the head of a chain from before signatures of it.
    await tamper(`update chain_heads set signature = null, signed_sequence = null, signed_hash = null, key_id = null,
      unsigned_through = sequence where ${own} and chain = '${chain}'`);
    expect(await verdict(at, chain)).toEqual({ valid: false, sequence: end, problem: 'differs from closed day' });
  });

  it.each([
    ['is edited', (own: string) => `update closed_days set count = count + 1 where ${own} and day < current_date + 1`],
    ['in the middle is removed', (own: string) => `delete from closed_days where ${own} and day = current_date`],
  ])('is invalid when a closed day %s', async (_, statement) => {
    const at = await house();
    await closeToday(at, chain);
    await at.api.post('/users', { email: 'later@example.com', first_name: 'L', last_name: 'L' });
    await at.api.post('/roles', { name: 'Later', takes_seat: true });
    await closeToday(at, chain, 3);
    expect(await verdict(at, chain)).toMatchObject({ valid: true });
    await tamper(statement(`tenant_id = '${at.tenantId}' and chain = '${chain}'`));
    expect(await verdict(at, chain)).toMatchObject({ valid: false, problem: 'days changed' });
  });

  long('is checked against a head that the caller has kept', async () => {
    const at = await house();
    const { open } = (await at.api.get(`/${chain}/heads`)).body;
    const kept = `?sequence=${open.sequence}&hash=${open.hash}`;
    expect(await verdict(at, chain, kept)).toMatchObject({ valid: true });
    const other = `?sequence=2&hash=${'a'.repeat(64)}`;
    expect(await verdict(at, chain, other)).toEqual({ valid: false, sequence: 2, problem: 'differs from known head' });
    const later = `?sequence=${open.sequence + 5}&hash=${open.hash}`;
    expect(await verdict(at, chain, later)).toEqual({ valid: false, sequence: open.sequence + 1, problem: 'end missing' });
    const half = await at.api.post(`/${chain}/verify?sequence=0`, {});
    expect([half.status, half.body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['sequence', 'hash']]);
  }); // prettier-ignore

  long('has its days published, each with a signature that can be checked elsewhere', async () => {
    const at = await house();
    await closeToday(at, chain);
    await at.api.post('/users', { email: 'later@example.com', first_name: 'L', last_name: 'L' });
    await at.api.post('/roles', { name: 'Later', takes_seat: true });
    await closeToday(at, chain, 3);
    const { status, body } = await at.api.get(`/${chain}/heads`);
    expect([status, body.data.length, body.next_cursor]).toEqual([200, 2, null]);
    const [second, first] = body.data;
    expect(first).toMatchObject({ chain, closed: true, previous: '0'.repeat(64), hash: expect.any(String) });
    expect(second.sequence).toBeGreaterThan(first.sequence);
    expect(second.previous).toBe(createHash('sha256').update(first.signed).digest('hex'));
    expect(body.open).toMatchObject({ closed: false, closed_at: null, sequence: second.sequence });
    for (const day of [first, second, body.open]) {
      const key = body.keys.find(({ key_id }: { key_id: string }) => key_id === day.key_id);
      const signature = Buffer.from(day.signature, 'base64');
      expect(verifySignature(null, Buffer.from(day.signed), createPublicKey(key.public_key), signature)).toBe(true);
      const { sequence, hash, day: date, previous } = day;
      expect(JSON.parse(day.signed)).toMatchObject({ tenant_id: at.tenantId, chain, sequence, hash, day: date, previous });
    }
    const page = await at.api.get(`/${chain}/heads?limit=1`);
    expect((await at.api.get(`/${chain}/heads?limit=1&cursor=${page.body.next_cursor}`)).body.data).toEqual([first]);
    // Another tenant's heads are their own.
    expect((await (await newHouse(service)).api.get(`/${chain}/heads`)).body.data).toEqual([]);
  }); // prettier-ignore
});

it.each(['seat_entries', 'audit_entries', 'closed_days', 'chain_heads', 'chain_keys'])(
  'refuses to empty or to delete from %s, to its owner too',
  async (table) => {
    await house();
    await expect(service.db.execute(`truncate ${table}`)).rejects.toThrow('append-only');
    if (table !== 'closed_days') {
      await expect(service.db.execute(`delete from ${table}`)).rejects.toThrow('append-only');
    }
  },
);

it.each(['seat_entries', 'audit_entries'])('%s: a seal sets its own columns once, and nothing else', async (table) => {
  const at = await house();
  const { db } = service;
  const { rows: columns } = await db.query<{ name: string; kept: boolean }>(
    `select a.attname as name, pg_get_triggerdef(t.oid) ~ ('old\\.' || a.attname || '\\M') as kept
     from pg_attribute a join pg_trigger t on t.tgrelid = a.attrelid and t.tgname = $1 || '_append_only'
     where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped order by a.attname`,
    [table],
  );
  expect(columns.filter(({ kept }) => !kept).map(({ name }) => name)).toEqual(
    ['count_after', 'effective_at', 'hash', 'previous_hash'].filter((name) =>
      columns.some((column) => column.name === name),
    ),
  );
  // In one transaction, which the refusal takes back.
  const unsealed = {
    seat_entries: `(tenant_id, kind, delta, reason, source) values ('${at.tenantId}', 'policy', 0, 'kept', '{}')`,
    audit_entries: `(tenant_id, actor, action, target_type, target_id) values ('${at.tenantId}', '{}', 'a', 'kept', 'b')`,
  }[table];
  const column = table === 'seat_entries' ? 'reason' : 'target_type';
  for (const change of ['hash = null', `sequence = 1000, ${column} = 'changed'`, `${column} = 'changed'`]) {
    const written = `insert into ${table} ${unsealed}; update ${table} set ${change} where ${column} = 'kept'`;
    await expect(db.execute(written)).rejects.toThrow('append-only');
  }
  const sealed = `tenant_id = '${at.tenantId}' and sequence = 1`;
  await expect(db.execute(`update ${table} set hash = null where ${sealed}`)).rejects.toThrow('append-only');
  await expect(db.execute(`update ${table} set sequence = null where ${sealed}`)).rejects.toThrow('append-only');
});
