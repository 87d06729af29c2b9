/** A lease ends this long after the last heartbeat: after a kill another process continues. */
export const LEASE_SECONDS = 15;
const BEAT_MS = 5_000;

/**
 * Renews a lease while work is under way, however long its calls take.
 *
 * @param renew renews the lease; a renewal that fails is left to the next beat, and the work finds a lost lease itself
 */
export async function withHeartbeat<T>(renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void renew().catch(() => undefined), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
