/** How a tenant wants its platform to be spoken to. */
export interface DestinationSettings {
  paths: { users: string; resolve: string };
  /** What happens to the account of somebody who is deactivated or deleted here. */
  on_deactivate: 'inactive' | 'delete';
  on_delete: 'inactive' | 'delete';
  /** Calls a second for each worker process; null: as fast as it goes. */
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

/** `ok`: calls go out. `open`: the other side is away, one probe at a time. `paused`: until a person changes something. */
export type DestinationState = 'ok' | 'open' | 'paused';

/** Where a tenant's changes go, and how that place is doing. */
export interface Destination {
  tenantId: string;
  baseUrl: string;
  /** The origin that the operator chose for this tenant: it may be private, and plain http. Null: none. */
  operatorOrigin: string | null;
  /** The platform's key, or null if it was never given or cannot be opened. */
  key: string | null;
  /** A key was given, and no key of the settings opens it. */
  keyUnreadable: boolean;
  /** How to recognise the key without reading it: its last four characters. */
  keyHint: string | null;
  settings: DestinationSettings;
  /** Moves with every change of settings, and with every change of state. */
  version: number;
  /** Moves with the address: what was bound at another address is forgotten. */
  epoch: number;
  state: DestinationState;
  stateReason: string | null;
  stateDetail: string | null;
  stateSince: Date;
  nextProbeAt: Date | null;
  /** The same in this process's monotonic milliseconds. */
  probeAt: number | null;
  lastSuccessAt: Date | null;
  hasRefusals: boolean;
  updatedAt: Date;
}
