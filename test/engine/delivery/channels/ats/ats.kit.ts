import { SystemClock } from '../../../../../src/base/clock.js';
import { Sealer } from '../../../../../src/base/crypto/seal.js';
import type { Database } from '../../../../../src/base/database/database.js';
import { DomainEvents } from '../../../../../src/base/domain-events.js';
import { EventRecorder } from '../../../../../src/engine/events/event-recorder.js';
import { EventSources } from '../../../../../src/engine/events/event-source.js';
import { CandidatesRepository } from '../../../../../src/hiring/candidates/candidates.repository.js';
import { InterviewsRepository } from '../../../../../src/hiring/interviews/interviews.repository.js';
import { AtsApis } from '../../../../../src/integrations/ats/calls/ats-apis.js';
import { AtsCallOptions, AtsPaces } from '../../../../../src/integrations/ats/calls/connection-api.js';
import { AtsConnectionsRepository } from '../../../../../src/integrations/ats/connections/ats-connections.repository.js';
import {
  AtsAddresses,
  AtsConnectionStore,
} from '../../../../../src/integrations/ats/connections/ats-connections.store.js';
import { AtsCredentials } from '../../../../../src/integrations/ats/connections/ats-credentials.js';
import { AtsStates } from '../../../../../src/integrations/ats/connections/ats-states.js';
import { TokenClient } from '../../../../../src/integrations/ats/oauth/token-client.js';
import { AtsPublish } from '../../../../../src/integrations/ats/publish/ats-publish.js';
import { AtsWritesRepository } from '../../../../../src/integrations/ats/publish/ats-writes.repository.js';
import { AtsChannel } from '../../../../../src/integrations/ats/publish/ats.channel.js';
import { WritePlanner } from '../../../../../src/integrations/ats/publish/write-planner.js';
import { WriteSender } from '../../../../../src/integrations/ats/publish/write-sender.js';
import { ATS, scorecardMarker } from '../../../../../src/integrations/ats/publish/write.js';
import type { Harness } from '../../../../forwarding/harness.js';
import { LeverSimulator } from '../../../../simulators/index.js';
import type { ChannelKit, Effect } from '../kit.js';

const CONNECTION = 'ats_kit';
const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
const WRITES = { as_user: DANA, visibility: 'private', link_target: null, scorecard_target: 'note' };
const levers = new Map<string, LeverSimulator>();

/** ATSs: a lane is a candidate, each version an interview of its own, whose scorecard becomes a note. */
export const atsKit: ChannelKit = {
  channel(h, db) {
    const clock = new SystemClock();
    const options = new AtsCallOptions({ paceFactor: 10_000, timeoutMs: 200, maxWaitMs: 50 });
    const store = storeOf(h, db);
    const tokens = new TokenClient(h.outbound, h.config, clock);
    const credentials = new AtsCredentials(store, tokens, clock, db);
    const apis = new AtsApis(h.outbound, credentials, new AtsPaces(db), options, clock, h.config, tokens);
    const writes = new AtsWritesRepository(db);
    const interviews = new InterviewsRepository(db, new CandidatesRepository(db));
    const planner = new WritePlanner(writes, interviews);
    const connections = new AtsConnectionsRepository(db, store);
    const states = new AtsStates(
      db,
      new EventRecorder(new EventSources()),
      store,
      connections,
      new AtsAddresses(h.config, h.outbound),
    );
    const events = new DomainEvents();
    const publish = new AtsPublish(db, writes, h.states, { wake: () => undefined }, events, h.destinations, clock);
    const sender = new WriteSender(planner, writes, publish, states, apis, options, store, interviews, events);
    return new AtsChannel(store, writes, sender, clock);
  },
  keyOf: (tenantId) => ({ tenantId, channel: ATS, id: CONNECTION }),
  async tenant(h, name, settings = {}) {
    const id = `ten_${name}`;
    const lever = await LeverSimulator.start({ rateFactor: 10_000 });
    levers.set(id, lever);
    await h.db.query(`insert into tenants (id, name) values ($1, $2) on conflict do nothing`, [id, name]);
    const sealed = storeOf(h, h.db).sealCredential(id, CONNECTION, { kind: 'api_key', key: lever.apiKey });
    await h.db.query(
      `insert into ats_connections (tenant_id, id, provider, name, region, base_url, marker, state, takes, writes,
         credential_sealed, created_by)
       values ($1, $2, 'lever', 'Lever', 'global', $3, 'lv_', 'ok', '{}', $4, $5, '{}')`,
      [id, CONNECTION, lever.url, JSON.stringify(WRITES), sealed],
    );
    const change = { baseUrl: lever.url, settings: { timeout_ms: 1_000, ...settings } };
    await h.db.transaction(id, (tx) => h.destinations.save(tx, atsKit.keyOf(id), change));
    return id;
  },
  async enqueue(h, tenantId, subject, n) {
    const lever = levers.get(tenantId)!;
    if (!lever.opportunities.has(subject)) {
      lever.add.opportunity({ id: subject, silent: true });
      await addCandidate(h, tenantId, subject);
    }
    const interview = `int_${subject}_${n}`;
    await h.db.transaction(tenantId, async (tx) => {
      await tx.query(`select 1 from candidates where tenant_id = $1 and id = $2 for update`, [tenantId, subject]);
      await tx.query(
        `insert into scorecards (tenant_id, interview_id, version, content, created_at)
         values ($1, $2, 1, '{"overall":1,"recommendation":null,"summary":null,"criteria":[],"link":null}', now())`,
        [tenantId, interview],
      );
      await new AtsWritesRepository(h.db).add(tx, tenantId, {
        id: `awr_${subject}_${n}`,
        connection_id: CONNECTION,
        candidate_id: subject,
        interview_id: interview,
        kind: 'scorecard',
        action: 'put',
        revision: 1,
        marker: scorecardMarker(interview, 1),
      });
    });
  },
  fault(_h, tenantId, mode, rate = 1) {
    const lever = levers.get(tenantId)!;
    lever.faults.clear();
    if (mode === '500') lever.fault({ kind: 'status', status: 500, times: null, rate });
    if (mode === 'hang') lever.fault({ kind: 'slow', ms: 10_000, times: null, rate });
  },
  requests: (_h, tenantId) => Promise.resolve(levers.get(tenantId)!.requests.length),
  effects: (_h, tenantId) => Promise.resolve(notesOf(levers.get(tenantId)!)),
  async stop() {
    for (const lever of levers.values()) await lever.close();
    levers.clear();
  },
};

/** Notes in the order in which each opportunity got them. */
function notesOf(lever: LeverSimulator): Effect[] {
  const notes = [...lever.opportunities.keys()].flatMap((id) => lever.notesOf(id));
  return notes.map(({ value }) => {
    const [, subject, n] = /\[talent-bridge int_(.+)_(\d+) scorecard r1\]$/.exec(value)!;
    return { subject: subject!, n: Number(n) };
  });
}

async function addCandidate(h: Harness, tenantId: string, id: string): Promise<void> {
  await h.db.query(
    `insert into candidates (tenant_id, id, external_id, email, email_key, first_name, last_name, job_title_set, metadata,
       sequence, created_at, updated_at, ats_connection_id)
     values ($1, $2, 'lv_' || $2, 'x@x.example', 'x@x.example', 'A', 'B', false, '{}', 1, now(), now(), $3)`,
    [tenantId, id, CONNECTION],
  );
}

function storeOf(h: Harness, db: Database): AtsConnectionStore {
  return new AtsConnectionStore(db, new SystemClock(), new Sealer(h.config.encryptionKeys));
}
