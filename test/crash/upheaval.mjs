import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets writers change subjects, one each at a time, while the service is killed again and again.
 *
 * @param subjects have `change()`, and `lookUp()` for when the answer to a change was lost
 * @param done whether all that has to be there is there: writers continue until then, and until the last kill
 * @param beside what an admin does meanwhile, again and again; it repeats itself what a kill interrupts
 * @returns what was counted
 */
export async function upheaval(service, subjects, { writers, kills, pauseMs = 0, done = () => true, beside = null }) {
  const counts = { acknowledged: 0, lostAnswers: 0, kills: 0, restartsMs: [] };
  const free = [...subjects];
  let running = true;
  let back = Promise.resolve();

  /** Looks a subject up; the process may be killed once more meanwhile. */
  const lookedUp = async (subject) => {
    for (;;) {
      await back;
      try {
        return await subject.lookUp();
      } catch (error) {
        if (!isLost(error)) throw error;
      }
    }
  };
  const writer = async () => {
    while (running || !done()) {
      const subject = free.splice(Math.floor(Math.random() * free.length), 1)[0];
      if (subject === undefined) {
        await sleep(1);
        continue;
      }
      try {
        await subject.change();
        counts.acknowledged++;
        if (pauseMs > 0) await sleep(pauseMs);
      } catch (error) {
        if (!isLost(error)) throw error;
        // The answer was lost with the process: the change may have happened or not. Both are right.
        counts.lostAnswers++;
        await lookedUp(subject);
      } finally {
        free.push(subject);
      }
    }
  };
  const killer = async () => {
    for (let i = 0; i < kills; i++) {
      await sleep(150 + Math.random() * 900);
      let isBack;
      back = new Promise((resolve) => (isBack = resolve));
      await service.kill();
      counts.kills++;
      counts.restartsMs.push(Math.round(await service.start()));
      isBack();
    }
    running = false;
  };
  const admin = async () => {
    while (beside !== null && running) await beside();
  };
  await Promise.all([killer(), admin(), ...Array.from({ length: writers }, writer)]);
  return counts;
}

/** Whether the answer to a request was lost with the process. */
const isLost = (error) => error instanceof TypeError || error.name === 'TimeoutError';
