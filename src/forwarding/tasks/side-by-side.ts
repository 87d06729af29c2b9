/** The number of items that are worked on at once: half of what a small installation's pool has, less one. */
const WIDTH = 4;

/**
 * Works on items at the same time, those that share a name one after the other in their order: what becomes of the second
 * depends on what became of the first.
 *
 * @param namesOf what may make two items depend on each other
 * @throws what `work` threw first, when all that had begun has ended
 */
export async function sideBySide<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const uses = new Map<string, number>();
  for (const item of items) for (const name of new Set(namesOf(item))) uses.set(name, (uses.get(name) ?? 0) + 1);
  const isShared = (item: T): boolean => namesOf(item).some((name) => uses.get(name)! > 1);
  const chains = [items.filter(isShared), ...items.filter((item) => !isShared(item)).map((item) => [item])];
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined && !failed; chain = chains.shift()) {
      for (const item of chain) if (!failed) await work(item);
    }
  };
  const workers = Array.from({ length: WIDTH }, () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
