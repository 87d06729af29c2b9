/**
 * How the service is run. A heap that may grow to 1 GiB and no further is kept tidy by the engine; without a limit it
 * lets garbage pile up to several hundred MiB on a machine with much memory. It is collected when the heap has grown by
 * 40 %, in place of up to fourfold: the live part of a busy process hardly grows. One thread beside the main one compiles
 * and collects garbage: with four the peak is up to 30 MiB higher, and nothing is faster.
 *
 * Without pretenuring: the engine places the objects of a line of code directly among the old ones where most of them
 * outlived a collection once. Short-lived rows of the database get there by chance, and each keeps its text of many
 * kilobytes alive: pages cost up to twice the time, for the whole life of that process.
 *
 * With the interrupt budget a function is optimised after a third of the usual work: the first thousand creations after a start take
 * a quarter less time. Later versions of Node.js have a quick compiler before the thorough one, and do not start with
 * a flag that they do not know.
 *
 * @param version the version of Node.js
 */
export function nodeFlags(version) {
  const flags = [
    '--max-semi-space-size=8',
    '--max-old-space-size=1024',
    '--heap-growing-percent=40',
    '--v8-pool-size=1',
    '--no-allocation-site-pretenuring',
  ];
  return version.startsWith('20.') ? [...flags, '--interrupt-budget=20000'] : flags;
}

export const NODE_FLAGS = nodeFlags(process.versions.node);

/** The C library keeps free memory for each thread otherwise, which is 20 MiB of nothing. */
export const NODE_VARIABLES = { MALLOC_ARENA_MAX: '2' };
