import { createHash } from 'node:crypto';
import { NotUnderstood, type InboundRequest } from '../../../../src/integrations/ats/connectors/connector.js';
import { connectorOf } from '../../../../src/integrations/ats/providers/providers.js';
import { readInboundBody } from '../../../../src/integrations/ats/inbound/inbound.service.js';
import { samplesOf, type Sample } from '../../../simulators/core/samples.js';

const VENDORS = ['lever', 'greenhouse', 'ashby', 'zoho_recruit'];

/** Zoho does not sign: its samples say that the token in the body is the right one. */
const VERDICTS: Readonly<Record<string, string>> = { token_match: 'valid' };

function requestOf({ request, receivedAt }: Sample): InboundRequest {
  const raw = Buffer.from(request.raw_body!, 'utf8');
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { body } = readInboundBody(raw, headers['content-type'] ?? '', undefined);
  return { raw, body, headers, receivedAt: new Date(receivedAt!) };
}

/** What each sample comes to, in short. */
const EFFECTS: Record<string, Record<string, unknown>> = {
  'lever webhook.applicationCreated': { kind: 'read_back', remoteId: '6408dc54-0000-4e5b-8d60-0000000000a1' },
  'lever webhook.candidateDeleted': { kind: 'read_back', remoteId: '6408dc54-0000-4e5b-8d60-0000000000a9' },
  'lever webhook.candidateStageChange': { kind: 'read_back', remoteId: '6408dc54-0000-4e5b-8d60-0000000000a1' },
  'lever webhook.test': { kind: 'none' },
  'greenhouse webhook.ping': { kind: 'none' },
  'greenhouse webhook.new_candidate_application': {
    kind: 'candidate',
    candidate: {
      remoteId: '57683957',
      firstName: 'Priya',
      lastName: 'Venkataraman',
      email: 'priya.venkataraman@example.com',
      jobRemoteId: '4410275',
      status: 'active',
      stage: { id: '767357', name: 'Application Review' },
      metadata: { application_id: '69306314', ats_source: 'Jobs page on your website', referrer: null },
      job: { title: 'Senior Backend Engineer', status: 'open', department: 'R&D', location: 'Lisbon, Portugal' },
      changedAt: new Date('2026-02-27T10:12:01Z'),
    },
  },
  'greenhouse webhook.candidate_stage_change': {
    kind: 'candidate',
    candidate: { remoteId: '57683957', stage: { id: '767358', name: 'AI Interview' } },
  },
  'greenhouse webhook.update_candidate': {
    kind: 'candidate',
    candidate: { remoteId: '57683957', email: 'priya.v@example.com', changedAt: null },
  },
  'greenhouse webhook.delete_candidate': { kind: 'gone', gone: { remoteId: '57683960', survivorId: null } },
  'greenhouse webhook.job_created': {
    kind: 'job',
    job: { remoteId: '4410310', title: 'Data Analyst', status: 'open', department: 'Data', changedAt: null },
  },
  'ashby webhook.ping': { kind: 'none' },
  'ashby webhook.applicationSubmit': {
    kind: 'candidate',
    candidate: {
      remoteId: '6f017926-0000-4cd0-8b9b-0000000000c1',
      firstName: 'Amara',
      lastName: 'Okonkwo',
      email: 'amara.okonkwo@example.com',
      jobRemoteId: '4071538b-0000-4fbf-ac76-000000000001',
      job: { title: 'Senior Backend Engineer' },
      status: 'active',
    },
  },
  'zoho_recruit webhook.notification.insert': { kind: 'read_back', of: 'candidate', remoteId: '480912000001234567' },
  'zoho_recruit webhook.workflow-form': {
    kind: 'candidate',
    candidate: {
      remoteId: '480912000001234567',
      firstName: 'Zoë',
      lastName: 'Müller',
      email: 'zoe.muller@example.com',
      jobRemoteId: '480912000000987654',
      job: { title: 'Backend Engineer' },
      metadata: { ats_priority: 'high' },
      changedAt: null,
    },
  },
  'ashby webhook.candidateStageChange': { kind: 'candidate', candidate: { stage: { name: 'AI Interview' } } },
  'ashby webhook.jobUpdate': {
    kind: 'job',
    job: { remoteId: '4071538b-0000-4fbf-ac76-000000000002', title: 'Customer Success Manager (DACH)', status: 'open' },
  },
};

const NO_SECRET = 'no secret is set';

describe.each(VENDORS)('samples of %s', (vendor) => {
  const connector = connectorOf(vendor)!;
  const webhooks = samplesOf(vendor).filter(({ kind }) => kind === 'inbound_webhook');

  it.each(webhooks.map((sample) => [sample.name, sample] as const))('checks and reads %s', (name, sample) => {
    const request = requestOf(sample);
    const { secret } = sample;
    const { raw_body_sha256: digest } = sample.request;
    expect(createHash('sha256').update(request.raw).digest('hex')).toBe(digest);
    const expected = String(sample.expect!['signature']);
    const verdict = VERDICTS[expected] ?? expected;
    expect(connector.inbound.verify(request, [secret ?? NO_SECRET])).toBe(verdict);
    if (verdict === 'valid') {
      expect(connector.inbound.verify(request, ['another tenant’s', secret!])).toBe('valid');
      expect(connector.inbound.verify(request, ['another tenant’s'])).toBe('invalid');
    }
    expect(connector.inbound.ack).toBe(sample.expect!['ack_status']);
    const reading = connector.inbound.read(request);
    expect(reading.effect).toMatchObject(EFFECTS[`${vendor} ${name}`]!);
    const key = sample.expect!['dedupe_key'];
    // The id of Greenhouse is in a header that is not signed: the body names its events.
    if (vendor === 'greenhouse') expect(reading.dedupeKey).toBeNull();
    else if (typeof key === 'string') expect(reading.dedupeKey).toBe(key);
  });

  it('ignores a signature in a header that the vendor does not send', () => {
    const request = requestOf(webhooks[0]!);
    const { signature, 'ashby-signature': ashby, ...headers } = request.headers;
    const moved = { ...headers, [`x-${vendor}-signature`]: signature ?? ashby ?? 'x' };
    const body = {
      ...(request.body as object),
      signature: undefined,
      ...(vendor === 'lever' ? {} : { token: undefined }),
    };
    expect(connector.inbound.verify({ ...request, body, headers: moved }, [webhooks[0]!.secret!])).toBe('absent');
  });

  it.each([undefined, null, [], 'text', {}, { action: 'unheard_of', event: 'unheardOf', payload: {}, data: { a: 1 } }])(
    'gives the reason why it does not understand %j',
    (body) => {
      const request = { raw: Buffer.from(''), body, headers: {}, receivedAt: new Date() };
      expect(() => connector.inbound.read(request)).toThrow(NotUnderstood);
    },
  );
});
