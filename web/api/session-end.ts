import { useSyncExternalStore } from 'react';

/** Why requests are refused: the code of the API (`sign_in_again`, `credential_invalid`, …); null: they are not. */
let reason: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  if (next === reason) return;
  reason = next;
  for (const listener of listeners) listener();
}

/** Notes that the session has ended, or is too old for what was asked. */
export function endSession(code: string): void {
  set(code);
}

/** Notes that the session is there again. */
export function resumeSession(): void {
  set(null);
}

/** Returns why requests are refused, or null. */
export function useSessionEnd(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reason,
  );
}
