import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import type { Part, WriteStatement } from '../../base/database/write-statement.js';
import { SessionEvents } from '../../tenancy/sessions/session.js';
import { StorageEventRecorder } from '../../tenancy/tenants/storage/tenant-storage.js';
import { EventRecorder } from './event-recorder.js';
import { EventsRepository } from './events.service.js';

/** Ids and a word of ours need no escapes in JSON. */
const DATA = `'{"session_id":"' || r.id || '","user_id":"' || r.user_id || '","reason":"' || r.end_reason || '"}'`;

@Injectable()
export class RecordedSessionEvents extends SessionEvents {
  constructor(private readonly recorder: EventRecorder) {
    super();
  }

  override async add(statement: WriteStatement, tenantId: string, ended: Part, db?: SqlRunner): Promise<void> {
    await this.recorder.addAbout(statement, tenantId, { event: 'session.ended', rows: ended, data: DATA }, db);
  }
}

@Injectable()
export class RecordedStorageEvents extends StorageEventRecorder {
  constructor(
    private readonly events: EventsRepository,
    private readonly recorder: EventRecorder,
  ) {
    super();
  }

  override async record(...[tx, tenantId, event, data]: Parameters<StorageEventRecorder['record']>): Promise<void> {
    await this.events.record(tenantId, [{ event, data }], tx);
    this.recorder.wake(tenantId, event);
  }
}
