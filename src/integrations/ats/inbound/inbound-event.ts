/** The states of an inbound event. */
export const INBOUND_STATES = ['waiting', 'applied', 'no_effect', 'failed', 'dismissed'] as const;

/** `failed`: it could not be applied, and can be applied again. `dismissed`: an admin ended it. */
export type InboundState = (typeof INBOUND_STATES)[number];

/** An inbound event that is to be stored. */
export interface NewInboundEvent {
  at: Date;
  /** The vendor's name of the event; null: the body was not understood. */
  name: string | null;
  occurredAt: Date | null;
  /** The record that it is about; null: none, or not known. */
  kind: 'job' | 'candidate' | null;
  remoteId: string | null;
  contentType: string | null;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** A signature over the token, the time or the body was checked. */
  signed: boolean;
  /** What makes a second delivery the same event: the vendor's name of it, or the bytes; hashed. */
  key: Buffer;
  state: 'waiting' | 'no_effect' | 'failed';
  /** A code; null: nothing is to be said. */
  reason: string | null;
  /** Of a body that is not understood: why. */
  detail: string | null;
}

/** An inbound event as it is stored. */
export interface InboundEventRow {
  id: string;
  at: Date;
  name: string | null;
  occurred_at: Date | null;
  kind: 'job' | 'candidate' | null;
  remote_id: string | null;
  state: InboundState;
  reason: string | null;
  detail: string | null;
  tries: number;
  decided_at: Date | null;
}

/** The same with what came. Null: it is erased, since the candidate was, or since the event has no effect. */
export interface InboundEventBody extends InboundEventRow {
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}
