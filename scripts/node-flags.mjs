/**
 * How the service is run. A heap that may grow to 1 GiB and no further is kept tidy by the engine; without a limit it lets
 * garbage pile up to several hundred MiB on a machine with much memory. Pages are large texts that live for one request:
 * in a small space for young objects they are gone before they count as old.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1024'];

/** The C library keeps free memory for each thread otherwise, which is 20 MiB of nothing. */
export const NODE_VARIABLES = { MALLOC_ARENA_MAX: '2' };
