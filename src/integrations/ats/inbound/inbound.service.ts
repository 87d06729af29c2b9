import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { cutTo } from '../../../base/characters.js';
import { Buckets } from '../../../base/http/rate-limit.js';
import { Unavailable } from '../../../base/errors/domain-error.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStorage } from '../../../tenancy/tenants/storage/tenant-storage.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector, InboundAnswer, InboundReading, InboundRequest } from '../connectors/connector.js';
import { EventIntake } from './event-intake.js';
import { keptHeaders, readInboundBody } from './inbound-body.js';
import type { Admitted } from './inbound-door.js';
import type { NewInboundEvent } from './inbound-event.js';
import { InboundRefused } from './inbound.errors.js';
import { readingOf } from './inbound-reading.js';
import { subjectOf } from './inbound.rules.js';
import { SignatureWatch } from './signature-watch.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The bytes a second of deletions that are stored for a tenant whose storage is exhausted, and those of a burst. */
const DEPARTURES = { bytesPerSecond: 8 * 1024, burstBytes: 1024 * 1024 };

/** Receives inbound webhooks: checks, stores, and leaves the rest to the background work. */
@Injectable()
export class InboundService {
  private readonly departures: Buckets;

  constructor(
    private readonly intake: EventIntake,
    private readonly watch: SignatureWatch,
    private readonly clock: Clock,
    private readonly storage: TenantStorage,
  ) {
    this.departures = new Buckets(DEPARTURES.bytesPerSecond, DEPARTURES.burstBytes, clock);
  }

  /**
   * Stores what came, and returns the answer that the provider takes as received. A body that is not understood is stored
   * too: the provider would send it again and again.
   *
   * @throws {InboundRefused} when a secret is set and the signature does not fit
   * @throws {StorageExhausted} when the storage of the tenant is exhausted, and the event deletes nothing
   */
  async receive({ gate, connector, token }: Admitted, raw: Buffer, headers: Headers): Promise<InboundAnswer> {
    const { connection, unreadable } = gate;
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
    const secrets = connector.inbound.isSetByHand?.(request) === true ? gate.handMade : gate.secrets;
    if (unreadable && secrets.length === 0) {
      throw new Unavailable('No key of the settings opens the signing secret of this connection.', 60);
    }
    if (secrets.length > 0) this.verify(connection, connector, request, secrets);
    const parts = partsOf(connector, request);
    const readings = parts.map((part) => readingOf(connector, part, read.fault));
    for (const reading of readings) this.demandRoom(connection.tenantId, reading, raw.length);
    const kept = {
      signed: secrets.length > 0,
      contentType: contentType === undefined ? null : cutTo(contentType, 200),
      headers: keptHeaders(headers, token),
    };
    const events = readings.map((reading, place) => ({ ...eventOf(parts[place]!, reading), ...kept }));
    await Promise.all(events.map((event) => this.intake.store(connection.tenantId, connection.id, event)));
    return { status: connector.inbound.ack, headers: {} };
  }

  /** Deletions pass at a low rate, because their bodies are stored too. The ATS repeats what is refused. */
  private demandRoom(tenantId: string, reading: InboundReading | string, bytes: number): void {
    if (!this.storage.isExhausted(tenantId)) return;
    const deletes = typeof reading !== 'string' && reading.effect.kind === 'gone';
    if (!deletes || !this.departures.take(tenantId, bytes).allowed) throw new StorageExhausted();
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

/** One event for each record: of a message about several ones each event is stored as if it had come alone. */
function partsOf({ inbound }: Connector, request: InboundRequest): InboundRequest[] {
  const bodies = inbound.parts?.(request.body) ?? [];
  if (bodies.length < 2) return [request];
  return bodies.map((body) => ({ ...request, body, raw: Buffer.from(JSON.stringify(body)) }));
}

function eventOf(
  request: InboundRequest,
  reading: InboundReading | string,
): Omit<NewInboundEvent, 'contentType' | 'headers' | 'signed'> {
  const { raw, receivedAt: at } = request;
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
