import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { cutTo } from '../../base/characters.js';
import { Unavailable } from '../../base/errors/domain-error.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector, InboundAnswer, InboundRequest } from '../connectors/connector.js';
import { EventIntake } from './event-intake.js';
import { keptHeaders, readInboundBody } from './inbound-body.js';
import type { Admitted } from './inbound-door.js';
import type { NewInboundEvent } from './inbound-event.js';
import { InboundRefused } from './inbound.errors.js';
import { readingOf } from './inbound-reading.js';
import { subjectOf } from './inbound.rules.js';
import { SignatureWatch } from './signature-watch.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Receives inbound webhooks: checks, stores, and leaves the rest to the background work. */
@Injectable()
export class InboundService {
  constructor(
    private readonly intake: EventIntake,
    private readonly watch: SignatureWatch,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores what came, and returns the answer that the provider takes as received. A body that is not understood is stored
   * too: the provider would send it again and again.
   *
   * @throws {InboundRefused} when a secret is set and the signature does not fit
   */
  async receive({ gate, connector, token }: Admitted, raw: Buffer, headers: Headers): Promise<InboundAnswer> {
    const { connection, secrets, unreadable } = gate;
    const contentType = textOf(headers['content-type']);
    const read = readInboundBody(raw, contentType ?? '', textOf(headers['content-encoding']));
    // Node makes one text of a header that comes twice, but for Set-Cookie, which no connector reads.
    const joined = headers as Readonly<Record<string, string | undefined>>;
    const request: InboundRequest = {
      raw,
      body: read.body,
      headers: joined,
      receivedAt: this.clock.now(),
    };
    const greeting = connector.inbound.handshake?.(request) ?? null;
    if (greeting !== null) return greeting;
    if (unreadable && secrets.length === 0) {
      throw new Unavailable('No key of the settings opens the signing secret of this connection.', 60);
    }
    if (secrets.length > 0) this.verify(connection, connector, request, secrets);
    const event = eventOf(connector, request, read.fault);
    const signed = secrets.length > 0;
    const kept = { ...event, signed, contentType: contentType === undefined ? null : cutTo(contentType, 200) };
    await this.intake.store(connection.tenantId, connection.id, { ...kept, headers: keptHeaders(headers, token) });
    return { status: connector.inbound.ack, headers: {} };
  }

  private verify(
    connection: AtsConnection,
    connector: Connector,
    request: InboundRequest,
    secrets: readonly string[],
  ): void {
    const verdict = connector.inbound.verify(request, secrets);
    const refusal = verdict === 'valid' ? null : (`signature_${verdict}` as const);
    this.watch.note(connection, refusal);
    if (refusal !== null) throw new InboundRefused(refusal);
  }
}

function eventOf(
  connector: Connector,
  request: InboundRequest,
  fault: string | null,
): Omit<NewInboundEvent, 'contentType' | 'headers' | 'signed'> {
  const { raw, receivedAt: at } = request;
  const reading = readingOf(connector, request, fault);
  if (typeof reading === 'string') {
    const nothing = { name: null, occurredAt: null, kind: null, remoteId: null };
    return { at, ...nothing, body: raw, key: hashOf(raw), state: 'failed', reason: 'not_understood', detail: reading };
  }
  const { dedupeKey, name, occurredAt, effect } = reading;
  const isPing = effect.kind === 'none';
  return {
    at,
    name: cutTo(name.replace(/\p{Cc}/gu, ''), 200),
    occurredAt: occurredAt !== null && Number.isFinite(occurredAt.getTime()) ? occurredAt : null,
    ...subjectOf(effect),
    body: raw,
    key: dedupeKey === null ? hashOf(raw) : hashOf(`${name} ${dedupeKey}`),
    state: isPing ? 'no_effect' : 'waiting',
    reason: isPing ? 'no_data' : null,
    detail: null,
  };
}

function hashOf(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest();
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
