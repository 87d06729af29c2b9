import type { EventName } from '../../engine/events/catalogue.js';
import type { Actor } from '../../tenancy/identity/person.js';

/** The delivery channel: a part of the key of destinations, lanes and attempts. */
export const WEBHOOK = 'webhook';

export const FORMS = ['source', 'standard', 'cloudevents'] as const;

export type Form = (typeof FORMS)[number];

/** An address of a tenant for events. Its state is that of its destination. */
export interface Endpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Null means all events. */
  readonly events: readonly EventName[] | null;
  readonly form: Form;
  /** Whether the events of one record arrive in order, one at a time. */
  readonly ordered: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** No key of the settings opens its secrets or headers: nothing can be signed, so nothing is sent. */
  readonly unreadable: boolean;
  readonly createdBy: Actor;
  /** The API key that made it: other keys do not see it, except those with `admin`. */
  readonly keyId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function takes({ events }: Pick<Endpoint, 'events'>, event: EventName): boolean {
  return events === null || events.includes(event);
}
