import { WriteStatement } from '../../src/base/database/write-statement.js';
import type { Person } from '../../src/tenancy/identity/person.js';
import { Harness, personOf, SOURCE } from './harness.js';
import { patience } from '../support/speed.js';

interface Employee {
  readonly id: string;
  version: number;
  is: 'active' | 'inactive';
}

/** One desk: a name and an address that are given to one person after the other. */
interface Desk {
  readonly names: Pick<Person, 'email' | 'external_id'>;
  /** Who sits there. */
  who: Employee | null;
  /** The desk was in use: no user moves to where an account was before our time. */
  used: boolean;
  /** It is being decided about. */
  taken: boolean;
}

const FREE = { who: null, used: false, taken: false };

/**
 * People leave, move, and others are hired under the same names, faster than the platform takes it, while workers are
 * killed and calls fail before or after their effect: the user at a desk has the one account, and no user takes another's.
 */
describe('desks that change hands', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start(40);
  });
  afterAll(() => h.stop());

  // The platform receives no names of an inactive user: where it keeps theirs, no user moves.
  it.each([
    ['accounts are deleted', { on_delete: 'delete' }, { keyed: true, moves: true, rests: false }],
    ['accounts are deactivated', { on_delete: 'inactive' }, { keyed: true, moves: false, rests: true }],
    ['only addresses tell who is who', { on_delete: 'delete' }, { keyed: false, moves: true, rests: true }],
  ] as const)(
    '%s',
    async (title, settings, rules) => {
      const t = await h.tenant(title.replaceAll(' ', '-'), { timeout_ms: 250, concurrency: 8, ...settings });
      const desks = Array.from({ length: 16 }, (_, i): Desk => {
        return { names: { email: `desk${i}@e.com`, external_id: rules.keyed ? `desk${i}` : null }, ...FREE };
      });
      // Some were there before our time.
      for (const { names } of desks.slice(0, 4)) {
        const body = { ...names, first_name: 'Before', last_name: 'v0' };
        expect((await h.platform(t, 'POST', '/v1/users', body)).status).toBe(201);
      }
      h.sandbox.setFaults({ mode: '500', rate: 0.15 }, `key-${t}`);
      // The pauses are a hundredth of the real ones, so that faults of the platform may hit one user eight times in a second.
      const options = {
        leaseMarginMs: 100,
        queueMs: 100,
        backoff: { firstMs: 10, maxMs: 50 },
        ownFailureLimit: Infinity,
      };
      const workers = [1, 2, 3].map(() => h.worker(options));
      const office = new Office(h, t, desks, rules);
      const writers = desks.map((desk) => async () => {
        for (let n = 0; n < 30; n++) {
          await office.turn(desk);
          // A pause of each length that matters: within a call, about as long as one, and longer than a lease.
          await new Promise((resolve) => setTimeout(resolve, Math.random() ** 3 * 500));
        }
      });
      let writing = true;
      const killing = (async () => {
        while (writing) {
          await new Promise((resolve) => setTimeout(resolve, 120));
          workers.shift()!.kill();
          workers.push(h.worker(options));
        }
      })();
      await Promise.all(writers.map((write) => write()));
      writing = false;
      await killing;
      await h.drained(t, 60_000);
      await Promise.all(workers.map(({ worker }) => worker.stop()));

      expect(await h.parked(t)).toEqual([]);
      expect(await h.counts(t)).toMatchObject({ parked: 0, pending: 0 });
      h.sandbox.setFaults({ mode: 'none' }, `key-${t}`);
      const { data } = (await h.platform(t, 'GET', '/v1/users?limit=200')).body as { data: Record<string, unknown>[] };
      const before = (desk: Desk): boolean => !desk.used && data.some((user) => user['email'] === desk.names.email);
      for (const { names, who } of desks.filter((desk) => !before(desk))) {
        const there = data.filter(({ email, status }) => email === names.email && status === 'active');
        const expected =
          who?.is === 'active' ? [expect.objectContaining({ ...names, last_name: `v${who.version}` })] : [];
        expect(there).toEqual(expected);
      }
      expect(office.hired).toBeGreaterThan(50);
    },
    patience(120_000),
  );
});

/** Who sits where, and the records of all of them. */
class Office {
  hired = 0;
  constructor(
    private readonly h: Harness,
    private readonly tenantId: string,
    private readonly desks: readonly Desk[],
    private readonly rules: { moves: boolean; rests: boolean },
  ) {}

  /** What happens next at a desk, together with the record of the user who sits there. */
  async turn(desk: Desk): Promise<void> {
    if (desk.taken) return;
    desk.taken = true;
    const { who } = desk;
    const dice = Math.random();
    if (who === null) await this.hire(desk);
    else if (dice < 0.4) {
      await this.write(who, desk, 'deleted');
      desk.who = null;
    } else if (dice < 0.55 && this.rules.rests) {
      who.is = who.is === 'active' ? 'inactive' : 'active';
      await this.write(who, desk, who.is);
    } else if (dice < 0.7 && this.rules.moves && who.is === 'active') await this.move(who, desk);
    else await this.write(who, desk, who.is);
    desk.taken = false;
  }

  private async hire(desk: Desk): Promise<void> {
    desk.who = { id: `usr_${++this.hired}`, version: 0, is: 'active' };
    desk.used = true;
    await this.write(desk.who, desk, 'active');
  }

  private async move(who: Employee, from: Desk): Promise<void> {
    const to = this.desks.find((desk) => desk.who === null && desk.used && !desk.taken);
    if (to === undefined) return;
    to.taken = true;
    await this.write(who, to, who.is);
    to.who = who;
    from.who = null;
    to.taken = false;
  }

  private async write(who: Employee, { names }: Desk, status: 'active' | 'inactive' | 'deleted'): Promise<void> {
    who.version++;
    const person = { ...personOf(who.id), ...names, last_name: `v${who.version}` };
    const tx = new WriteStatement().subject(
      (
        p,
      ) => `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, email, email_key, first_name,
          last_name, person_external_id, status, seat)
        select ${p.add(this.tenantId, 'text')}, n.id, 'api', '{}', n.id, n.id, true, n.email, n.email, 'F', 'L',
          ${p.add(person.external_id, 'text')}, ${p.add(status === 'active' ? 'active' : 'inactive', 'text')}, 'none'
        from (select ${p.add(who.id, 'text')} as id, ${p.add(person.email, 'text')} as email) n
        on conflict (tenant_id, id) do update set status = excluded.status, email = excluded.email,
          email_key = excluded.email_key, person_external_id = excluded.person_external_id
        returning id`,
    );
    const kind = status === 'active' ? 'updated' : status === 'inactive' ? 'deactivated' : 'deleted';
    const change = { kind, person, status, changed: ['last_name'] } as const;
    this.h.forwarding.enqueue(tx, this.tenantId, { ...change, changed: [...change.changed] }, SOURCE, new Date(), true);
    await tx.run(this.h.db);
  }
}
