import { parseLossless } from '../../../../src/base/json-text.js';
import { AtsFailure, type AtsFailureKind } from '../../../../src/integrations/ats/api/ats-api.js';
import type {
  AtsPage,
  AtsPageFrom,
  AtsWrite,
  InboundRequest,
  WriteTarget,
} from '../../../../src/integrations/ats/connectors/connector.js';
import { connectors } from '../../../../src/integrations/ats/providers/providers.js';
import type { Fault } from '../../../simulators/core/faults.js';
import type { Message } from '../../../simulators/core/sender.js';
import { plainCalls, type PlainCalls } from './support/calls.js';
import { KITS, targetWith, type Kit } from './support/kits.js';

const START: AtsPageFrom = { since: null, syncToken: null, cursor: null };
const SECRET = 'a secret of this tenant';

/** Reads all pages, and returns each record's last state. */
async function pass<R extends { remoteId: string }>(
  read: (from: AtsPageFrom) => Promise<AtsPage<R>>,
  from: AtsPageFrom = START,
): Promise<{ records: Map<string, R>; syncToken: string | null; leftOut: number }> {
  const records = new Map<string, R>();
  let leftOut = 0;
  for (let cursor: string | null = null, pages = 0; ; pages++) {
    const page = await read({ ...from, cursor });
    for (const record of page.records) records.set(record.remoteId, record);
    leftOut += page.leftOut?.length ?? 0;
    if (page.next === null) return { records, syncToken: page.syncToken ?? null, leftOut };
    if (pages > 50) throw new Error('the pages do not end');
    cursor = page.next;
  }
}

function inbound(message: Message, secret: string | null): InboundRequest {
  const { body, headers } = message.build(targetWith(secret), 0);
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { raw: Buffer.from(body), body: parseLossless(body), headers: lower, receivedAt: new Date() };
}

function writeOf(kit: Kit, target: WriteTarget, candidateRemoteId: string): AtsWrite {
  return {
    target,
    candidateRemoteId,
    applicationRemoteId: null,
    text: 'https://app.example.com/i/int_01/1',
    marker: 'int_01/1',
    asUser: kit.connector.writes.needsUser ? kit.user : null,
    visibility: 'private',
    field: kit.field,
    replaces: null,
  };
}

/** Faults of a read, and what each comes to. */
const FAULTS: readonly [string, Fault, AtsFailureKind, string][] = [
  ['a 500', { kind: 'status', status: 500 }, 'away', 'status_500'],
  ['a 503', { kind: 'status', status: 503 }, 'away', 'status_503'],
  ['a 429 without a time', { kind: 'status', status: 429 }, 'away', 'rate_limited'],
  ['a 429 with a time', { kind: 'status', status: 429, retryAfter: 7 }, 'away', 'rate_limited'],
  ['a slow answer', { kind: 'slow', ms: 2_000 }, 'away', 'timeout'],
  ['a slow body', { kind: 'slow_body', ms: 4_000 }, 'away', 'timeout'],
  ['a lost connection', { kind: 'reset' }, 'away', 'reset'],
  ['a page of HTML', { kind: 'html' }, 'malformed', 'not_json'],
  ['a body that is no JSON', { kind: 'body', body: '{"data":[' }, 'malformed', 'not_json'],
  ['JSON that is no list', { kind: 'body', body: '{"data":7}' }, 'malformed', 'unexpected_answer'],
  ['an answer without a body', { kind: 'no_content' }, 'malformed', 'unexpected_answer'],
  ['five MiB', { kind: 'huge' }, 'malformed', 'answer_too_large'],
];

describe('the contract of connectors', () => {
  it('has a kit for every connector', () => {
    expect(Object.keys(KITS).sort()).toEqual(
      connectors()
        .map(({ provider }) => provider)
        .sort(),
    );
  });

  describe.each(connectors().map(({ provider }) => provider))('%s', (provider) => {
    let kit: Kit;
    let calls: PlainCalls;

    beforeEach(async () => {
      kit = await KITS[provider]!();
      calls = plainCalls(kit.connector, kit.sim.url, kit.credential, { timeoutMs: 1_000 });
    });
    afterEach(async () => {
      await calls.close();
      await kit.sim.close();
    });

    const failure = (promise: Promise<unknown>): Promise<AtsFailure> =>
      promise.then(
        () => {
          throw new Error('it did not fail');
        },
        (error: unknown) => {
          expect(error).toBeInstanceOf(AtsFailure);
          return error as AtsFailure;
        },
      );

    it('reads all pages of candidates and jobs, and every field of the contract', async () => {
      const { connector } = kit;
      const job = kit.job('Data Analyst');
      const ids = Array.from({ length: 620 }, (_, i) =>
        kit.candidate({ first: `Given${i}`, last: `Family${i}`, email: `c${i}@example.com`, job }),
      );
      const mononym = kit.candidate({ first: 'Teller', last: '', email: null, job: null });
      const { records, leftOut } = await pass((from) => connector.candidates(calls.api, from));
      expect([...records.keys()].sort()).toEqual([...ids, mononym].sort());
      expect(leftOut).toBe(0);
      expect(records.get(ids[0]!)).toMatchObject({
        firstName: 'Given0',
        lastName: 'Family0',
        email: 'c0@example.com',
        jobRemoteId: job,
        status: 'active',
        changedAt: expect.any(Date),
      });
      expect(records.get(ids[0]!)!.stage?.name).toMatch(/\w/);
      expect(records.get(ids[0]!)!.metadata).toMatchObject({ application_id: expect.any(String) });
      expect(records.get(mononym)).toMatchObject({ firstName: 'Teller', lastName: '', email: null, jobRemoteId: null });
      const jobs = await pass((from) => connector.jobs(calls.api, from));
      expect(jobs.records.get(job)).toMatchObject({ title: 'Data Analyst', status: 'open' });
    });

    it('reads changes since a time, or since a token', async () => {
      const { connector } = kit;
      const job = kit.job('Data Analyst');
      const [one] = [1, 2, 3].map((n) => kit.candidate({ first: `A${n}`, last: 'B', email: null, job }));
      const { syncToken } = await pass((from) => connector.candidates(calls.api, from));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const since = new Date();
      await new Promise((resolve) => setTimeout(resolve, 5));
      kit.rename(one!, 'New', 'Name');
      const { records } = await pass((from) => connector.candidates(calls.api, from), { ...START, since, syncToken });
      expect([...records.values()]).toMatchObject([
        { remoteId: one, firstName: 'New', lastName: 'Name', jobRemoteId: job },
      ]);
    });

    it('reads one record, and null for an unknown or deleted one', async () => {
      const { connector } = kit;
      const job = kit.job('Data Analyst');
      const id = kit.candidate({ first: 'Ana', last: 'de la Cruz', email: 'ana@example.com', job });
      expect(await connector.candidate(calls.api, id)).toMatchObject({
        remoteId: id,
        firstName: 'Ana',
        jobRemoteId: job,
      });
      expect(await connector.job(calls.api, job)).toMatchObject({ remoteId: job, title: 'Data Analyst' });
      kit.remove(id);
      expect(await connector.candidate(calls.api, id)).toBeNull();
      expect(await connector.candidate(calls.api, '999999')).toBeNull();
      expect(await connector.job(calls.api, 'no-such-job')).toBeNull();
      expect(await connector.user(calls.api, kit.user)).toMatchObject({ id: kit.user, active: true });
      expect(await connector.user(calls.api, 'unknown')).toBeNull();
      expect(connector.users !== undefined).toBe(connector.writes.needsUser);
      const users = (await connector.users?.(calls.api, null))?.records.map(({ id }) => id);
      expect(users ?? [kit.user]).toContain(kit.user);
      expect(await connector.test(calls.api)).toMatch(/\w+ \w+/);
    });

    it.each(FAULTS)('names the failure when there is %s', async (_name, fault, kind, reason) => {
      kit.sim.fault({ ...fault, path: kit.candidatesPath, times: null });
      if (fault.kind === 'no_content' && kit.emptyIsNoContent) {
        expect((await kit.connector.candidates(calls.api, START)).records).toEqual([]);
        return;
      }
      const error = await failure(kit.connector.candidates(calls.api, START));
      expect(error).toMatchObject({ kind, reason });
      if (fault.kind === 'status' && fault.status === 429) {
        expect(error.retryAfterMs).toBeGreaterThan(0);
        expect(calls.pauses).toHaveLength(1);
        if (fault.retryAfter !== undefined) expect(error.retryAfterMs).toBe(7_000);
      }
    });

    it('renews a refused credential once, and then reports the refusal', async () => {
      const { connector, sim } = kit;
      sim.fault({ kind: 'status', status: 401, times: null });
      calls.renewal = kit.credential;
      expect(await failure(connector.test(calls.api))).toMatchObject({ kind: 'refused' });
      expect(calls.renewals).toBe(1);
      expect(sim.requests.length).toBe(2);
    });

    it('refuses a wrong credential, and names neither it nor a candidate in any failure', async () => {
      const { connector, sim } = kit;
      const given = { ...kit.credential, key: 'wrong-key', accessToken: 'wrong-key' };
      // Whichever kind of credential it is, its secret is the wrong one.
      const wrong = plainCalls(connector, sim.url, given);
      const error = await failure(connector.test(wrong.api));
      expect(error.kind).toBe('refused');
      const id = kit.candidate({ first: 'Secret', last: 'Person', email: 'secret@example.com', job: null });
      kit.sim.fault({ kind: 'body', body: '{"data":{"email":"secret@example.com"},"results":"secret@example.com"}' });
      const other = await failure(connector.candidate(calls.api, id));
      for (const text of [error.message, error.reason, other.message, other.reason]) {
        expect(text).not.toMatch(/wrong-key|secret|Person|http/i);
      }
      await wrong.close();
    });

    it('checks signatures: right, wrong, absent, and of another tenant’s secret', () => {
      const { inbound: rules } = kit.connector;
      const message = kit.event('17');
      expect(rules.verify(inbound(message, SECRET), [SECRET])).toBe('valid');
      expect(rules.verify(inbound(message, SECRET), ['an old secret', SECRET])).toBe('valid');
      expect(rules.verify(inbound(message, 'another tenant’s'), [SECRET])).toBe('invalid');
      expect(rules.verify(inbound(message, null), [SECRET])).toBe('absent');
    });

    it('recognises a ping, and gives a repeated event the same name', () => {
      const { inbound: rules } = kit.connector;
      const ping = kit.ping();
      if (ping !== null) expect(rules.read(inbound(ping, SECRET)).effect).toEqual({ kind: 'none' });
      const event = kit.event('17');
      const first = rules.read(inbound(event, SECRET));
      expect(rules.read(inbound(event, SECRET))).toEqual(first);
      // Without a signed id the bytes name the event.
      const other = rules.read(inbound(kit.event('17'), SECRET)).dedupeKey;
      if (first.dedupeKey === null) expect(other).toBeNull();
      else expect(other).not.toBe(first.dedupeKey);
    });

    it('writes, finds the write, and removes it when the vendor can', async () => {
      const { writes } = kit.connector;
      const id = kit.candidate({ first: 'Ana', last: 'Cruz', email: null, job: kit.job('Data Analyst') });
      for (const target of writes.targets) {
        const write = writeOf(kit, target, id);
        expect(await writes.find(calls.api, write)).toBeNull();
        const ref = await writes.write(calls.api, write);
        expect(await writes.find(calls.api, write)).toBe(ref);
        expect(await writes.find(calls.api, { ...write, marker: 'int_01/2' })).toBeNull();
        const undone = await writes.undo(calls.api, write, ref);
        expect(await writes.find(calls.api, write)).toBe(undone ? null : ref);
      }
      expect(kit.notes(id).length).toBeLessThanOrEqual(1);
    });

    it('finds a note among many, also when the answer to the write was lost', async () => {
      const { writes } = kit.connector;
      const id = kit.candidate({ first: 'Ana', last: 'Cruz', email: null, job: null });
      const note = writeOf(kit, 'note', id);
      for (let i = 0; i < 120; i++) await writes.write(calls.api, { ...note, text: `note ${i}`, marker: `${i}` });
      kit.sim.fault({ kind: 'reset', after: true, path: kit.notesPath, method: 'POST' });
      expect(await failure(writes.write(calls.api, note))).toMatchObject({ kind: 'away', reason: 'reset' });
      expect(await writes.find(calls.api, note)).toMatch(/\w/);
      expect(kit.notes(id).filter(({ value }) => value.includes(note.marker))).toHaveLength(1);
    });

    it('reports that the candidate of a write is gone', async () => {
      const { writes } = kit.connector;
      const id = kit.candidate({ first: 'Ana', last: 'Cruz', email: null, job: null });
      kit.remove(id);
      for (const target of writes.targets) {
        expect(await failure(writes.write(calls.api, writeOf(kit, target, id)))).toMatchObject({ kind: 'not_found' });
      }
    });

    it('ends when the pages of a list within a record have no end', async () => {
      const id = kit.candidate({ first: 'Ana', last: 'Cruz', email: null, job: null });
      kit.sim.fault({ kind: 'repeat_cursor', times: null, path: kit.notesPath });
      const error = await failure(kit.connector.writes.find(calls.api, writeOf(kit, 'note', id)));
      expect(error).toMatchObject({ kind: 'malformed', reason: 'cursor_repeats' });
    });

    it('can all that it declares, and names in sentences what it cannot', () => {
      const { abilities, limits, writes, webhooks, oauth, regions, marker, credentials } = kit.connector;
      expect(writes.targets.includes('note')).toBe(abilities.note);
      expect(writes.targets.includes('link')).toBe(abilities.link);
      expect(writes.targets.includes('field')).toBe(abilities.field);
      expect(webhooks !== null).toBe(abilities.webhooksByApi);
      expect(oauth !== null).toBe(abilities.oauth);
      expect(credentials.includes('oauth')).toBe(abilities.oauth);
      expect('gone' in kit.connector).toBe(abilities.deleted === 'list' || abilities.deleted === 'both');
      expect(marker).toMatch(/^[a-z]{2}_$/);
      for (const { api } of Object.values(regions)) expect(api).toMatch(/^https:\/\/.*[^/]$/);
      const lacks = [abilities.link, abilities.note, abilities.field, abilities.webhooksByApi, abilities.oauth];
      expect(limits.length).toBeGreaterThanOrEqual(lacks.filter((can) => !can).length);
      for (const limit of limits) expect(limit).toMatch(/^[A-Z].*\.$/);
    });
  });
});
