import type { Connector } from '../connectors/connector.js';
import type { AtsConnectionBody, AtsMissing, AtsProviderBody } from './ats-connections.dto.js';
import type { AtsConnectionFacts } from './ats-connections.repository.js';
import type { AtsConnectionRow } from './ats-connections.store.js';
import { lacksWriter } from './ats-settings.rules.js';
import type { Credential } from '../api/ats-api.js';

export interface AtsProgress {
  nextRunAt: Date | null;
  events: number;
  writes: number;
}

export function atsConnectionBody(
  row: AtsConnectionRow,
  connector: Connector,
  more: {
    facts: AtsConnectionFacts;
    progress: AtsProgress;
    inbound: string;
    credential: Credential['kind'] | null;
  },
): AtsConnectionBody {
  const { facts, progress, inbound, credential } = more;
  return {
    id: row.id,
    provider: row.provider,
    title: connector.title,
    name: row.name,
    region: row.region,
    base_url: row.base_url,
    marker: row.marker,
    state: row.state,
    reason: row.state_reason,
    since: row.state_since,
    problems: facts.problems.map(({ problem, reason, since }) => ({ problem, reason, since: new Date(since) })),
    paused: row.paused,
    takes: row.takes,
    writes: row.writes,
    approved_by: row.approved_by,
    credential,
    missing: missingIn(row, connector, credential),
    granted_scopes: row.granted_scopes,
    missing_scopes: missingScopes(connector, row.granted_scopes),
    webhook: {
      url: inbound,
      tokens: facts.tokens.map(({ id, hint, created_at }) => ({ id, hint, created_at: new Date(created_at) })),
      signing_secrets: facts.signing.length,
      made: facts.signing.flatMap(({ event }) => (event === null ? [] : [event])),
    },
    abilities: connector.abilities,
    limits: connector.limits,
    next_run_at: progress.nextRunAt,
    waiting: { events: progress.events, writes: progress.writes },
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function missingIn(
  { writes, approved_by: approvedBy }: Pick<AtsConnectionRow, 'writes' | 'approved_by'>,
  connector: Connector,
  credential: Credential['kind'] | null,
): AtsMissing[] {
  const lacksUser = lacksWriter(connector, writes, approvedBy);
  return [...(credential === null ? (['credential'] as const) : []), ...(lacksUser ? (['as_user'] as const) : [])];
}

/** Returns the scopes that a connector wants and a grant lacks; `offline_access` shows by its refresh token. */
export function missingScopes({ oauth }: Connector, granted: readonly string[] | null): string[] {
  if (oauth === null || granted === null) return [];
  return oauth.scopes.filter((scope) => scope !== 'offline_access' && !granted.includes(scope));
}

export function atsProviderBody(connector: Connector): AtsProviderBody {
  const { provider, title, marker, regions, credentials, abilities, limits } = connector;
  return { provider, title, marker, regions: Object.keys(regions), credentials: [...credentials], abilities, limits };
}

export function atsAuditView(row: Pick<AtsConnectionRow, 'provider' | 'name' | 'marker' | 'takes' | 'writes'>): object {
  const { provider, name, marker, takes, writes } = row;
  return { provider, name, marker, takes, writes };
}
