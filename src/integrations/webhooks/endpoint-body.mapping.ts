import { endpointStateOf } from './endpoint-state.rules.js';
import type { Endpoint } from './endpoint.js';
import type { EndpointFacts } from './endpoints.repository.js';
import type { WebhookBody } from './webhook-bodies.dto.js';

/** Returns an endpoint as the API shows it. */
export function webhookBody(endpoint: Endpoint, facts: EndpointFacts): WebhookBody {
  const { state, reason } = endpointStateOf(
    {
      state: facts.state,
      stateReason: facts.state_reason,
      failingSince: facts.failing_since,
      failingStage: facts.failing_stage,
    },
    endpoint.unreadable,
  );
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    form: endpoint.form,
    ordered: endpoint.ordered,
    header_names: Object.keys(endpoint.headers),
    secrets: facts.secrets.map(({ id, created_at, expires_at }) => ({
      id,
      created_at: iso(created_at),
      expires_at: expires_at === null ? null : iso(expires_at),
    })),
    state,
    state_reason: reason,
    state_detail: facts.state_detail,
    state_since: facts.state_since,
    failing_since: facts.failing_since,
    next_attempt_at: facts.next_probe_at,
    last_success_at: facts.last_success_at,
    waiting: facts.waiting,
    given_up: facts.given_up,
    key_id: endpoint.keyId,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  };
}

/**
 * Returns an endpoint as the audit log shows it. An address of a catch hook is a secret itself, so only its origin stands
 * there.
 */
export function auditView(endpoint: Pick<Endpoint, 'url' | 'events' | 'form' | 'ordered' | 'headers'>): object {
  const { url, events, form, ordered, headers } = endpoint;
  return { origin: new URL(url).origin, events, form, ordered, header_names: Object.keys(headers) };
}

/** PostgreSQL's JSON writes the offset as `+00:00`. */
function iso(text: string): string {
  return new Date(text).toISOString();
}
