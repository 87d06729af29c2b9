import { sideBySide } from '../../../src/forwarding/tasks/import.step.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('works on items that share a name one after the other, in their order, and on others at once', async () => {
  const running = new Set<string>();
  const begun: string[] = [];
  let most = 0;
  const items = ['a1', 'b1', 'a2', 'c1', 'd1', 'a3'];
  await sideBySide(
    items,
    (item) => [item[0]!],
    async (item) => {
      expect([...running].some((other) => other[0] === item[0])).toBe(false);
      running.add(item);
      begun.push(item);
      most = Math.max(most, running.size);
      for (let i = 0; i < 5; i++) await tick();
      running.delete(item);
    },
  );
  expect(begun.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  expect([...begun].sort()).toEqual([...items].sort());
  expect(most).toBeGreaterThan(1);
});

it('begins nothing after a failure, and throws it when all that had begun has ended', async () => {
  const ended: number[] = [];
  const items = Array.from({ length: 50 }, (_, i) => i);
  const work = async (item: number) => {
    if (item === 1) throw new Error('refused');
    await tick();
    ended.push(item);
  };
  await expect(sideBySide(items, (item) => [String(item)], work)).rejects.toThrow('refused');
  const before = ended.length;
  await tick();
  expect(ended.length).toBe(before);
  expect(before).toBeLessThan(10);
});
