import { type Clock, SystemClock } from '../../../../../src/base/clock.js';
import { Outbound } from '../../../../../src/base/http/outbound.js';
import type { AtsApi, Credential } from '../../../../../src/integrations/ats/api/ats-api.js';
import {
  AtsCallOptions,
  type AtsPaces,
  type PaceTurn,
  HostBreaker,
  ConnectionApi,
  type CallGround,
} from '../../../../../src/integrations/ats/calls/connection-api.js';
import type { AtsCredentials } from '../../../../../src/integrations/ats/connections/ats-credentials.js';
import type { AtsConnection } from '../../../../../src/integrations/ats/connections/connection.js';
import type { Connector } from '../../../../../src/integrations/ats/connectors/connector.js';

/** The calls of a connection without a database: its credential is given, and its turns are at once. */
export interface PlainCalls {
  api: AtsApi;
  /** What the calls share: its breaker, and whether addresses may be private. */
  ground: CallGround;
  /** Pauses that answers asked for, in milliseconds. */
  pauses: number[];
  /** The credential that a renewal brings; null: it cannot be renewed. */
  renewal: Credential | null;
  renewals: number;
  close(): Promise<void>;
}

/** Returns a connection of a connector. */
export function connectionTo(connector: Connector, credential: Credential | null): AtsConnection {
  return {
    tenantId: 'ten_1',
    id: 'ats_1',
    provider: connector.provider,
    name: connector.title,
    region: Object.keys(connector.regions)[0]!,
    baseUrl: null,
    marker: connector.marker,
    state: 'ok',
    paused: false,
    takes: { postings: 'open', stages: null, since: null, candidates: 'active', backfill_events: false },
    writes: {
      as_user: null,
      visibility: 'private',
      link_target: null,
      scorecard_target: null,
      link_field: null,
      scorecard_field: null,
    },
    approvedBy: null,
    credential,
    createdAt: new Date(),
  };
}

/** Returns calls to an address. */
export function plainCalls(
  connector: Connector,
  url: string,
  credential: Credential,
  options: Partial<AtsCallOptions> = {},
  clock: Clock = new SystemClock(),
): PlainCalls {
  const outbound = new Outbound();
  const calls: PlainCalls = {
    api: null as unknown as AtsApi, // It is made below, and knows this object.
    ground: null as unknown as CallGround,
    pauses: [],
    renewal: null,
    renewals: 0,
    close: () => outbound.close(),
  };
  const credentials: Pick<AtsCredentials, 'current' | 'renewed'> = {
    current: async () => credential,
    renewed: async () => {
      calls.renewals++;
      return calls.renewal;
    },
  };
  const paces: Pick<AtsPaces, 'take' | 'pause'> = {
    take: async (): Promise<PaceTurn> => ({ kind: 'go', afterMs: 0 }),
    pause: async (_tenant, _connection, ms) => void calls.pauses.push(ms),
  };
  const ground = {
    outbound,
    credentials: credentials as AtsCredentials,
    paces: paces as AtsPaces,
    options: new AtsCallOptions(options),
    clock,
    breaker: new HostBreaker(),
    anyPrivate: true,
  };
  calls.ground = ground;
  calls.api = new ConnectionApi(ground, connectionTo(connector, credential), connector, new URL(url));
  return calls;
}
