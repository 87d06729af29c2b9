import { DEFAULT_SETTINGS, type Destination } from '../../engine/delivery/destination.js';
import type { PlatformBody } from './platform.dto.js';
import { KEY_UNREADABLE } from './platform-test.rules.js';

/** A connection as administrators see it, without what waits there. */
export function view(destination: Destination | null): Omit<PlatformBody, 'waiting' | 'parked' | 'message'> {
  const settings = destination?.settings ?? DEFAULT_SETTINGS;
  return {
    connected: destination !== null,
    base_url: destination?.baseUrl ?? null,
    key_hint: destination?.keyHint ?? null,
    ...settings,
    state: stateShown(destination),
    reason: destination?.stateReason ?? null,
    detail: destination?.stateDetail ?? (destination?.keyUnreadable ? KEY_UNREADABLE : null),
    since: destination?.stateSince ?? null,
    next_probe_at: destination?.nextProbeAt ?? null,
    last_success_at: destination?.lastSuccessAt ?? null,
    updated_at: destination?.updatedAt ?? null,
  };
}

function stateShown(destination: Destination | null): string {
  if (destination === null) return 'no_platform_yet';
  if (destination.state !== 'ok' || destination.key !== null) return destination.state;
  return destination.keyUnreadable ? 'key_unreadable' : 'no_key_yet';
}
