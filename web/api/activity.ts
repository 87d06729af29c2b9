/** After this time without input a page asks no more by itself: a tab that is left open does not keep its session alive. */
const ATTENDED_MS = 10 * 60_000;

let lastInput = Date.now();
for (const kind of ['pointerdown', 'keydown', 'focus']) {
  addEventListener(kind, () => (lastInput = Date.now()), { capture: true, passive: true });
}

/** Returns whether the page was used within that time. */
export function isAttended(): boolean {
  return Date.now() - lastInput < ATTENDED_MS;
}
