import type { EventName } from '../../engine/events/catalogue.js';
import type { Actor } from '../../tenancy/identity/person.js';

/** The name of the delivery channel: it is part of the key of destinations, lanes and attempts. */
export const WEBHOOK = 'webhook';

/** The forms in which an endpoint can get the body of an event. */
export const FORMS = ['source', 'standard', 'cloudevents'] as const;

/** `source`: event, timestamp, data. `standard`: with `type` beside `event`. `cloudevents`: structured CloudEvents 1.0. */
export type Form = (typeof FORMS)[number];

/** An address of a tenant that events are sent to. Its state is that of its destination. */
export interface Endpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The events that it takes; null: all of them. */
  readonly events: readonly EventName[] | null;
  readonly form: Form;
  /** Whether the events of one record arrive in order, one at a time. */
  readonly ordered: boolean;
  /** The endpoint's own headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The live secrets, newest first, as `whsec_…`. Empty: `unreadable`. */
  readonly secrets: readonly string[];
  /** No key of the settings opens its secrets or headers: nothing can be signed, so nothing is sent. */
  readonly unreadable: boolean;
  readonly createdBy: Actor;
  /** The API key that made it: other keys do not see it, except those with `admin`. */
  readonly keyId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Whether an endpoint takes events of this name. */
export function takes({ events }: Pick<Endpoint, 'events'>, event: EventName): boolean {
  return events === null || events.includes(event);
}
