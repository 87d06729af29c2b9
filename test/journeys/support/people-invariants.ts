import type { Company, Directory, Shown } from './people-company.js';

interface Resource {
  id: string;
  active: boolean;
  userName: string;
  externalId?: string;
  name?: { givenName?: string };
  emails?: { value: string }[];
}

/** What is compared before and after a step of a directory in preview. */
export interface Moment {
  users: Map<string, Shown>;
  seats: number;
  told: number;
}

/** What holds in a company after each step. Remembers whose each record and each account is. */
export class Invariants {
  private readonly owners = new Map<string, string>();

  /** @param hadKey whether a human had a key that was another human's before */
  constructor(
    private readonly company: Company,
    private readonly hadKey: (tag: string, key: string | null) => boolean = () => false,
  ) {}

  async moment(): Promise<Moment> {
    const { house, service } = this.company;
    const [users, seats, told] = await Promise.all([
      this.company.users(),
      house.api.get('/seats'),
      service.db.query<{ n: number }>(`select count(*)::int as n from changes where tenant_id = $1 and forwarded`, [
        house.tenantId,
      ]),
    ]);
    return {
      users: new Map(users.map((one) => [one.id, one])),
      seats: seats.body.used as number,
      told: told.rows[0]!.n,
    };
  }

  /** Nothing that a directory in preview does changes a user in force, takes a seat or is forwarded. */
  isQuiet(before: Moment, after: Moment): void {
    const problems: string[] = [];
    for (const [id, one] of before.users) {
      const now = after.users.get(id);
      if (now === undefined) {
        if (one.status === 'active') problems.push(`${id} is gone`);
        continue;
      }
      const same = (field: keyof Shown) => JSON.stringify(now[field]) === JSON.stringify(one[field]);
      if (one.status !== 'active' && now.status !== 'active') continue;
      for (const field of ['email', 'first_name', 'external_id', 'status', 'seat', 'managed_by'] as const) {
        if (!same(field))
          problems.push(`${id}: ${field} ${JSON.stringify(one[field])} -> ${JSON.stringify(now[field])}`);
      }
    }
    for (const [id, one] of after.users) {
      if (!before.users.has(id) && one.status === 'active') problems.push(`${id} came into force`);
    }
    if (before.seats !== after.seats) problems.push(`seats ${before.seats} -> ${after.seats}`);
    if (before.told !== after.told) problems.push(`${after.told - before.told} changes are forwarded`);
    this.none(problems);
  }

  async hold({ users, seats }: Moment): Promise<void> {
    const problems: string[] = [];
    for (const { id, first_name: tag } of users.values()) this.owned(id, tag, problems);
    const { moved, users: accounts } = this.company.accounts;
    for (const { id, from, to, key, wasActive } of moved) {
      // For a platform a key is a human: an inactive account continues with the key, as after a rehire.
      if (!wasActive && this.hadKey(to, key)) this.owners.set(id, to);
      else problems.push(`the account ${id} of ${from} (${key}, ${wasActive ? 'active' : 'inactive'}) is now of ${to}`);
    }
    for (const { id, first_name: tag } of accounts.byId.values()) this.owned(id, tag, problems);
    for (const id of this.company.kept) {
      const kept = users.get(id);
      if (kept?.status !== 'active') problems.push(`the protected ${id} is ${kept?.status ?? 'gone'}`);
    }
    const count = (seat: string) => [...users.values()].filter((one) => one.seat === seat).length;
    if (seats !== count('held')) problems.push(`${seats} seats, held by ${count('held')}`);
    const { house } = this.company;
    const held = (await house.api.get('/held?limit=200')).body.data as { user_id: string }[];
    const expected = [...users.values()].filter((one) => one.held !== null).map(({ id }) => id);
    if (
      held
        .map((one) => one.user_id)
        .sort()
        .join() !== expected.sort().join()
    )
      problems.push('held users differ');
    await Promise.all(this.company.present().map((one) => this.readsBack(one, users, problems)));
    this.none(problems);
  }

  /** What SCIM reads back and what is in force differ only for held users. */
  private async readsBack(directory: Directory, users: Map<string, Shown>, problems: string[]): Promise<void> {
    const { body } = await directory.client.get('/Users?count=1000');
    const resources = (body.Resources ?? []) as Resource[];
    if (body.totalResults !== resources.length) problems.push(`${directory.name}: ${body.totalResults} in all, ${resources.length} listed`); // prettier-ignore
    for (const resource of resources) {
      this.owned(resource.id, resource.name?.givenName ?? '', problems);
      const inForce = users.get(resource.id);
      if (inForce === undefined) {
        problems.push(`${directory.name} shows ${resource.id}, which is no user`);
        continue;
      }
      const managed = inForce.managed_by?.id ?? null;
      const isShown = managed === directory.id || (managed === null && directory.state === 'live');
      if (inForce.held !== null || !isShown) continue;
      const written = [resource.active, resource.emails?.[0]?.value.toLowerCase(), resource.name?.givenName];
      const real = [inForce.status === 'active', inForce.email?.toLowerCase(), inForce.first_name];
      if (JSON.stringify(written) !== JSON.stringify(real)) problems.push(`${directory.name} reads ${resource.id} as ${JSON.stringify(written)}, in force is ${JSON.stringify(real)}`); // prettier-ignore
      const key = resource.externalId;
      if (key !== undefined && key !== inForce.external_id) problems.push(`${resource.id}: the key ${key} is ${inForce.external_id} in force`); // prettier-ignore
    }
    for (const one of users.values()) {
      if (one.managed_by?.id !== directory.id || resources.some(({ id }) => id === one.id)) continue;
      if (one.held === null) problems.push(`${directory.name} does not show its user ${one.id}, which is not held`);
    }
  }

  /**
   * When all is delivered: whose account each user has, and that the platform knows of each what is in force.
   *
   * @param isAlone the platform makes no accounts of its own: no change parks, and every field is the same
   */
  async agree(users: Map<string, Shown>, isAlone = false): Promise<void> {
    const { house, service, accounts } = this.company;
    const { rows } = await service.db.query<{
      user_id: string;
      platform_id: string | null;
      parked: string | null;
      told: boolean;
    }>(
      `select subject as user_id, platform_id, parked_reason as parked, last_pending > 0 as told from lanes where tenant_id = $1`,
      [house.tenantId],
    );
    const problems: string[] = [];
    for (const { user_id: id, platform_id: account, parked, told } of rows) {
      const found = account === null ? undefined : accounts.users.byId.get(account);
      if (found !== undefined) this.owned(id, found.first_name, problems);
      if (isAlone && parked !== null) problems.push(`the change of ${id} is parked: ${parked}`);
      // An import binds accounts and tells the platform nothing.
      if (parked !== null || !told) continue;
      const one = users.get(id);
      if (isAlone && one?.status === 'active' && one.email !== null) {
        const fields = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const;
        const differs = fields.filter((field) => one[field] !== found?.[field]);
        if (differs.length > 0) problems.push(`${id} ${JSON.stringify(one)} differs on the platform in ${differs.join()}: ${JSON.stringify(found ?? null)}`); // prettier-ignore
      }
      if (one?.status === 'active' && one.email !== null) {
        const right = found?.status === 'active' && found.email.toLowerCase() === one.email.toLowerCase();
        if (!right) problems.push(`${id} ${one.email} is ${JSON.stringify(found ?? null)} on the platform`);
      } else if (one?.status !== 'active' && found?.status === 'active')
        problems.push(`${id} is out, its account ${account} is not`);
    }
    const bound = rows.flatMap(({ platform_id }) => (platform_id === null ? [] : [platform_id]));
    const twice = bound.filter((id, i) => bound.indexOf(id) !== i);
    if (twice.length > 0) problems.push(`accounts of two users: ${twice.join()}`);
    const { body } = await house.api.post('/seats/reconcile', {});
    if (body.missing_in_ledger.length + body.extra_in_ledger.length > 0)
      problems.push(`ledger: ${JSON.stringify(body)}`);
    const verdict = (await house.api.post('/seats/verify', {})).body as { ok: boolean };
    if (!verdict.ok) problems.push(`the chain of the ledger: ${JSON.stringify(verdict)}`);
    this.none(problems);
  }

  private owned(id: string, tag: string, problems: string[]): void {
    const before = this.owners.get(id);
    if (before === undefined) this.owners.set(id, tag);
    else if (before !== tag) problems.push(`${id} of ${before} is ${tag}'s`);
  }

  /** @throws with what happened in the company, when there are problems */
  none(problems: string[]): void {
    if (problems.length > 0) throw new Error([...problems, '', ...this.company.seen].join('\n'));
  }
}
