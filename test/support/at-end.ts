const works: (() => Promise<void>)[] = [];

/** Names work for the end of the worker, after its last spec file. */
export function atEnd(work: () => Promise<void>): void {
  works.push(work);
}

/** Does the work that was named for the end of the worker. */
export async function end(): Promise<void> {
  for (const work of works.splice(0)) await work();
}
