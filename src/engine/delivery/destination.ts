/** How a destination is called. `paths`, `on_deactivate` and `on_delete` are the platform's. */
export interface DestinationSettings {
  paths: { users: string; resolve: string };
  on_deactivate: 'inactive' | 'delete';
  on_delete: 'inactive' | 'delete';
  /** Calls a second for each worker process; null without a limit. */
  rate: number | null;
  /** Calls at the same time for each worker process. */
  concurrency: number;
  /** One deadline for each call, over connecting, headers and body. */
  timeout_ms: number;
}

export const DEFAULT_SETTINGS: DestinationSettings = {
  paths: { users: '/v1/users', resolve: '/v1/resolve' },
  on_deactivate: 'inactive',
  on_delete: 'delete',
  rate: null,
  concurrency: 16,
  timeout_ms: 10_000,
};

/** `ok`: calls go out. `open`: the destination is away, one probe at a time. `paused`: until an administrator acts. */
export type DestinationState = 'ok' | 'open' | 'paused';

/** The key of a destination: lanes, health, pace and attempts belong to one. */
export interface DestinationKey {
  tenantId: string;
  channel: string;
  id: string;
}

/** Where changes of a tenant are delivered, and the health of that place. */
export interface Destination extends DestinationKey {
  baseUrl: string;
  /** The origin that the operator chose for this tenant: it may be private, and plain http. */
  operatorOrigin: string | null;
  /** null when no key was given, or none of the settings opens it. */
  key: string | null;
  /** A key was given, and no key of the settings opens it. */
  keyUnreadable: boolean;
  /** The last four characters of the key. */
  keyHint: string | null;
  settings: DestinationSettings;
  /** Moves with every change of settings, and with every change of state. */
  version: number;
  /** Moves with the address: knowledge about another address does not count. */
  epoch: number;
  state: DestinationState;
  stateReason: string | null;
  stateDetail: string | null;
  stateSince: Date;
  nextProbeAt: Date | null;
  /** `nextProbeAt` in monotonic milliseconds of this process. */
  probeAt: number | null;
  lastSuccessAt: Date | null;
  hasRefusals: boolean;
  /** Since when all calls have failed; null after a success, or when failures are not counted. */
  failingSince: Date | null;
  /** One of `STAGES`. */
  failingStage: number;
  updatedAt: Date;
}
