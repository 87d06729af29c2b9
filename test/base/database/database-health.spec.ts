import { ConnectionGate, type GateOptions } from '../../../src/base/database/database-health.js';
import { sharesOf } from '../../../src/base/database/shares.js';

const OPTIONS: GateOptions = { connections: 8, share: 2, reserve: 2, queue: 3, patienceMs: 10_000 };

/** Asks for a connection; true when it was there at once. What waits may be refused when the test is long over. */
const enters = (gate: ConnectionGate, owner: string): boolean => {
  const turn = gate.enter(owner);
  turn?.catch(() => undefined);
  return turn === undefined;
};
const entered = (gate: ConnectionGate, owner: string, count: number): number =>
  Array.from({ length: count }, () => enters(gate, owner)).filter(Boolean).length;

describe('a connection gate', () => {
  it('gives a lone owner all but the reserve, and others the rest at once', () => {
    const gate = new ConnectionGate({ ...OPTIONS, queue: 100 });
    expect(entered(gate, 'a', 20)).toBe(6);
    expect(entered(gate, 'b', 20)).toBe(2);
    expect(gate.waiting).toBe(32);
  });

  it('gives free connections to waiting owners in turn', async () => {
    const gate = new ConnectionGate({ ...OPTIONS, connections: 4 });
    const order: string[] = [];
    const wait = (owner: string): void =>
      void gate.enter(owner)?.then(
        () => order.push(owner),
        () => undefined,
      );
    for (let i = 0; i < 4; i++) wait('a');
    for (let i = 0; i < 2; i++) wait('b');
    for (const owner of ['c', 'c', 'd', 'd']) wait(owner);
    gate.leave('a');
    gate.leave('b');
    gate.leave('a');
    gate.leave('b');
    await Promise.resolve();
    expect(order).toEqual(['a', 'c', 'd', 'a']);
    expect(gate.waiting).toBe(2);
  });

  it('serves an owner below its share before an earlier one above its share', async () => {
    const gate = new ConnectionGate(OPTIONS);
    const order: string[] = [];
    const wait = (owner: string): void =>
      void gate.enter(owner)?.then(
        () => order.push(owner),
        () => undefined,
      );
    for (let i = 0; i < 7; i++) wait('a');
    for (let i = 0; i < 2; i++) wait('b');
    wait('c');
    gate.leave('a');
    await Promise.resolve();
    expect(order).toEqual(['c']);
    gate.leave('a');
    gate.leave('a');
    await Promise.resolve();
    expect(order).toEqual(['c']); // what is free now is the reserve
    gate.leave('a');
    await Promise.resolve();
    expect(order).toEqual(['c', 'a']);
  });

  it('serves one owner first come, first served', async () => {
    const gate = new ConnectionGate({ ...OPTIONS, connections: 1, share: 1, reserve: 0 });
    const order: number[] = [];
    for (let i = 0; i < 4; i++) void gate.enter('a')?.then(() => order.push(i));
    for (let i = 0; i < 3; i++) gate.leave('a');
    await Promise.resolve();
    expect(order).toEqual([1, 2, 3]);
  });

  it('refuses a request at once when the queue is full, and names the number that wait and their time', () => {
    const gate = new ConnectionGate({ ...OPTIONS, connections: 1, share: 1, reserve: 0 });
    for (let i = 0; i < 4; i++) enters(gate, 'a');
    expect(() => gate.enter('a')).toThrow(expect.objectContaining({ code: 'tenant_busy', kind: 'unavailable' }));
    expect(() => gate.enter('a')).toThrow(/at most 3 wait, for at most 10 seconds/);
    expect(enters(gate, 'b')).toBe(false);
  });

  it('refuses a request that has waited too long, and keeps count of held connections', async () => {
    let now = 0;
    const gate = new ConnectionGate(
      { ...OPTIONS, connections: 1, share: 1, reserve: 0, patienceMs: 100 },
      'statement',
      () => now,
    );
    expect(gate.enter('a')).toBeUndefined();
    const late = gate.enter('a')!;
    now = 100;
    await expect(late).rejects.toMatchObject({ code: 'tenant_busy' });
    gate.leave('a');
    expect(gate.enter('b')).toBeUndefined();
  });

  it('forgets an owner without connection and queue', () => {
    const gate = new ConnectionGate(OPTIONS);
    for (let i = 0; i < 1000; i++) {
      enters(gate, `ten_${i}`);
      gate.leave(`ten_${i}`);
    }
    expect((gate as unknown as { owners: Map<string, unknown> }).owners.size).toBe(0);
  });
});

describe('the shares of a pool', () => {
  it.each([2, 3, 4, 8, 16, 100])('of %i connections never hand out more than there are', (total) => {
    const { statements, searches } = sharesOf(total);
    expect(statements.connections + searches.connections).toBe(total);
    expect(statements.share).toBeLessThanOrEqual(Math.max(1, total / 4));
    expect(searches.connections).toBeLessThanOrEqual(Math.max(1, total / 4));
    for (const { share, reserve, connections } of [statements, searches]) {
      expect(share).toBeGreaterThan(0);
      expect(reserve).toBeLessThan(connections);
    }
  });

  it('leaves other tenants a connection for searches', () => {
    const gate = new ConnectionGate({ ...sharesOf(16).searches }, 'search');
    expect(entered(gate, 'a', 50)).toBe(2);
    expect(entered(gate, 'b', 1)).toBe(1);
    expect(() => entered(gate, 'a', 100)).toThrow(/Too many searches of this tenant/);
  });
});
