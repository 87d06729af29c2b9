import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import type { DestinationKey } from '../../engine/delivery/destination.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import {
  DestinationsRepository,
  moveDestination,
  removeDestination,
  removeLanes,
} from '../../engine/delivery/destinations/destinations.repository.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import { TENANT_ROW, type Cap, demandRoom } from '../../tenancy/tenants/caps.js';
import { MakerEnding } from '../../tenancy/tenants/tenants.events.js';
import { TIMEOUT_MS, EndpointSender } from './endpoint-sender.js';
import { endpointStateOf, BY_HAND } from './endpoint.rules.js';
import { type Endpoint, WEBHOOK, EndpointStore } from './endpoint.store.js';
import { type EndpointFacts, EndpointsRepository, type NewEndpoint } from './endpoints.repository.js';
import { headersOf } from './headers.rules.js';
import { newSecret } from './signed-message.js';
import type {
  WebhookBody,
  ChangedWebhookBody,
  WebhookWithSecretBody,
  ChangeWebhook,
  CreateWebhook,
  RotateSecret,
} from './webhooks.dto.js';

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

/** Returns an endpoint for the audit log. The address of a catch hook is a secret, so only its origin is shown. */
export function auditView(endpoint: Pick<Endpoint, 'url' | 'events' | 'form' | 'ordered' | 'headers'>): object {
  const { url, events, form, ordered, headers } = endpoint;
  return { origin: new URL(url).origin, events, form, ordered, header_names: Object.keys(headers) };
}

function iso(text: string): string {
  return new Date(text).toISOString();
}

const WEBHOOKS_CAP: Cap = {
  most: 50,
  code: 'too_many_webhooks',
  whose: 'A tenant',
  what: 'webhook endpoints',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from webhook_endpoints where tenant_id = $1`,
  lock: TENANT_ROW,
};

const SETTINGS = { concurrency: 8, timeout_ms: TIMEOUT_MS, rate: null };
const DEFAULT_OVERLAP_SECONDS = 86_400;

export function endpointKeyOf({ tenantId, id }: Pick<Endpoint, 'tenantId' | 'id'>): DestinationKey {
  return { tenantId, channel: WEBHOOK, id };
}

/** Headers are credentials for an origin: a changed address alone would send them to another host. */
function demandCredentials(before: Endpoint, input: ChangeWebhook, isMoved: boolean): void {
  if (!isMoved && input.secret !== undefined) {
    throw new InvalidFields([{ field: 'secret', message: 'belongs to another host in url; else use rotate-secret' }]);
  }
  if (!isMoved || input.headers !== undefined || Object.keys(before.headers).length === 0) return;
  const message = 'must be given again with another host; {} removes them: they were given for the present one';
  throw new InvalidFields([{ field: 'headers', message }]);
}

function changed(before: Endpoint, input: ChangeWebhook, url: string | undefined): Endpoint {
  return {
    ...before,
    url: url ?? before.url,
    ...(input.description === undefined ? {} : { description: input.description }),
    ...(input.events === undefined ? {} : { events: input.events }),
    ...(input.form === undefined ? {} : { form: input.form }),
    ...(input.ordered === undefined ? {} : { ordered: input.ordered }),
    ...(input.headers === undefined ? {} : { headers: headersOf(input.headers) }),
  };
}

/** The address of a catch hook is a secret, which `webhooks:read` does not open. */
function shownTo(own: readonly Endpoint[], body: WebhookBody): WebhookBody {
  if (own.some(({ id }) => id === body.id)) return body;
  const { origin, pathname, search } = new URL(body.url);
  return { ...body, url: pathname === '/' && search === '' ? origin : `${origin}/…` };
}

const REASON = 'The key or user that made the endpoint has ended.';

/** Manages endpoints. When their key or user ends, they continue, unless the caller wants them paused. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly db: Database,
    private readonly repository: EndpointsRepository,
    private readonly store: EndpointStore,
    private readonly sender: EndpointSender,
    private readonly destinations: DestinationsRepository,
    private readonly states: DestinationStatesRepository,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on(MakerEnding, (ending) => this.name(ending));
  }

  /** Makes an endpoint. Only this answer shows its secret. */
  async create(caller: Caller, input: CreateWebhook): Promise<WebhookWithSecretBody> {
    const { tenantId } = caller;
    const url = await this.checked(tenantId, input.url);
    const endpoint: NewEndpoint = {
      tenantId,
      id: newId('whk'),
      url,
      description: input.description ?? null,
      events: input.events ?? null,
      form: input.form ?? 'source',
      ordered: input.ordered ?? false,
      headers: headersOf(input.headers ?? {}),
      createdBy: caller.actor,
      keyId: caller.console === undefined ? caller.keyId : null,
    };
    const { id, secret } = await once(this.db, caller, async (tx) => {
      const made = { id: endpoint.id, secret: input.secret ?? newSecret() };
      await demandRoom(tx, WEBHOOKS_CAP, tenantId);
      await this.repository.insert(tx, endpoint);
      await this.repository.addSecret(tx, tenantId, endpoint.id, made.secret, 0);
      await this.destinations.save(tx, endpointKeyOf(endpoint), { baseUrl: url, settings: SETTINGS });
      await this.note(tx, caller, 'webhook.created', endpoint.id, { after: auditView(endpoint) });
      return made;
    });
    await this.store.forget(tenantId);
    return { ...(await this.get(caller, id)), secret };
  }

  /** Returns the endpoints that the caller sees, oldest first. There are at most fifty. */
  async list(caller: Caller): Promise<WebhookBody[]> {
    const bodies = await this.bodiesOf(caller.tenantId, await this.repository.readable(caller));
    const own = await this.repository.allOf(caller);
    return bodies.map((body) => shownTo(own, body));
  }

  async get(caller: Caller, id: string): Promise<WebhookBody> {
    const [body] = await this.bodiesOf(caller.tenantId, [await this.repository.toRead(caller, id)]);
    return shownTo(await this.repository.allOf(caller), body!);
  }

  /**
   * Changes an endpoint; absent fields stay unchanged. Waiting messages go to the new address. Another origin gets
   * another secret: a receiver could pass on messages with the signature that the former one trusts.
   *
   * @throws {InvalidFields} when the address gets another origin without new headers, or a secret is given without
   * another origin
   */
  async change(caller: Caller, id: string, input: ChangeWebhook): Promise<ChangedWebhookBody> {
    const { tenantId } = caller;
    await this.repository.demandOne(caller, id);
    const url = input.url === undefined ? undefined : await this.checked(tenantId, input.url);
    const secret = await this.db.transaction(tenantId, async (tx) => {
      const before = await this.repository.lockedOne(tx, caller, id);
      const isMoved = url !== undefined && new URL(url).origin !== new URL(before.url).origin;
      demandCredentials(before, input, isMoved);
      const after = changed(before, input, url);
      await this.repository.update(tx, after);
      const made = isMoved ? (input.secret ?? newSecret()) : undefined;
      if (made !== undefined) await this.repository.addSecret(tx, tenantId, id, made, 0);
      await moveDestination(tx, endpointKeyOf(after), after.url);
      await this.note(tx, caller, 'webhook.changed', id, { before: auditView(before), after: auditView(after) });
      if (made !== undefined)
        await this.note(tx, caller, 'webhook.secret_rotated', id, { after: { overlap_seconds: 0 } });
      return made;
    });
    await this.store.forget(tenantId);
    return { ...(await this.get(caller, id)), ...(secret === undefined ? {} : { secret }) };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { tenantId } = caller;
    const key = { tenantId, channel: WEBHOOK, id };
    await this.db.transaction(tenantId, async (tx) => {
      const before = await this.repository.lockedOne(tx, caller, id);
      await this.repository.remove(tx, tenantId, id);
      await removeDestination(tx, key);
      await this.note(tx, caller, 'webhook.deleted', id, { before: auditView(before) });
    });
    await this.store.forget(tenantId);
    await removeLanes(this.db, key);
    await this.repository.removeGivenUp(tenantId, id);
  }

  /** Makes a new secret beside the present ones, which still sign during the overlap. Only this answer shows it. */
  async rotateSecret(caller: Caller, id: string, input: RotateSecret): Promise<WebhookWithSecretBody> {
    const overlap = input.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
    const secret = await once(this.db, caller, async (tx) => {
      const made = input.secret ?? newSecret();
      await this.repository.lockedOne(tx, caller, id);
      await this.repository.addSecret(tx, caller.tenantId, id, made, overlap);
      await this.note(tx, caller, 'webhook.secret_rotated', id, { after: { overlap_seconds: overlap } });
      return made;
    });
    await this.store.forget(caller.tenantId);
    return { ...(await this.get(caller, id)), secret };
  }

  async revokeSecrets(caller: Caller, id: string): Promise<WebhookBody> {
    await this.db.transaction(caller.tenantId, async (tx) => {
      await this.repository.lockedOne(tx, caller, id);
      const revoked = await this.repository.revokeOlder(tx, caller.tenantId, id);
      await this.note(tx, caller, 'webhook.secrets_revoked', id, { after: { revoked } });
    });
    await this.store.forget(caller.tenantId);
    return this.get(caller, id);
  }

  async pause(caller: Caller, id: string, reason: string | null): Promise<WebhookBody> {
    await this.db.transaction(caller.tenantId, async (tx) => {
      const endpoint = await this.repository.lockedOne(tx, caller, id);
      await this.states.pause(tx, endpointKeyOf(endpoint), BY_HAND, reason);
      await this.note(tx, caller, 'webhook.paused', id, { after: { reason } });
    });
    return this.get(caller, id);
  }

  async note(
    tx: SqlRunner,
    { tenantId, actor, requestId }: Caller,
    action: string,
    id: string,
    states: { before?: object; after?: object },
  ): Promise<void> {
    await this.audit.record(tx, {
      tenantId,
      actor,
      requestId,
      action,
      targetType: 'webhook',
      targetId: id,
      ...states,
    });
  }

  private async checked(tenantId: string, text: string): Promise<string> {
    const problem = await this.sender.problemOfName(text, tenantId);
    if (problem !== null) throw new InvalidFields([{ field: 'url', message: problem }]);
    return new URL(text).href;
  }

  private async bodiesOf(tenantId: string, endpoints: readonly Endpoint[]): Promise<WebhookBody[]> {
    const facts = await this.repository.factsOf(
      tenantId,
      endpoints.map(({ id }) => id),
    );
    return endpoints.flatMap((endpoint) => {
      const known = facts.get(endpoint.id);
      return known === undefined ? [] : [webhookBody(endpoint, known)];
    });
  }

  private async name({ tx, by, maker, pause, endpoints }: MakerEnding): Promise<void> {
    const all = await this.store.fresh(by.tenantId, tx);
    if (all.length === 0) return;
    const keys = 'keyId' in maker ? [maker.keyId] : await keysOf(tx, by.tenantId, maker.userId);
    const isLeft = ({ keyId, createdBy }: Endpoint) =>
      (keyId !== null && keys.includes(keyId)) ||
      ('userId' in maker && createdBy.kind === 'user' && createdBy.id === maker.userId);
    for (const endpoint of all.filter(isLeft)) {
      const { id, description, url } = endpoint;
      if (pause && (await this.states.pause(tx, endpointKeyOf(endpoint), BY_HAND, REASON))) {
        const line = { action: 'webhook.paused', targetType: 'webhook', targetId: id, after: { reason: REASON } };
        await this.audit.record(tx, { tenantId: by.tenantId, actor: by.actor, requestId: by.requestId, ...line });
      }
      endpoints.push({ id, description, host: new URL(url).host, paused: pause });
    }
  }
}

async function keysOf(tx: SqlRunner, tenantId: string, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from api_keys where tenant_id = $1 and owner_user_id = $2`,
    [tenantId, userId],
  );
  return rows.map(({ id }) => id);
}
