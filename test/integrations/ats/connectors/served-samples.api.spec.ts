import { ashby } from '../../../../src/integrations/ats/connectors/ashby/ashby.connector.js';
import type { Connector } from '../../../../src/integrations/ats/connectors/connector.js';
import type { Credential } from '../../../../src/integrations/ats/api/ats-api.js';
import { greenhouse } from '../../../../src/integrations/ats/connectors/greenhouse/greenhouse.connector.js';
import { lever } from '../../../../src/integrations/ats/connectors/lever/lever.connector.js';
import { zohoRecruit } from '../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit.connector.js';
import {
  startAshby,
  startGreenhouse,
  startLever,
  startZohoRecruit,
  type Simulator,
} from '../../../simulators/index.js';
import { plainCalls } from './support/calls.js';

const START = { since: null, syncToken: null, cursor: null };

/** Calls a simulator that answers with the vendor's samples, word for word. */
async function against<T>(
  sim: Simulator,
  connector: Connector,
  credential: Credential,
  act: (api: ReturnType<typeof plainCalls>['api']) => Promise<T>,
): Promise<T> {
  const calls = plainCalls(connector, sim.url, credential);
  try {
    return await act(calls.api);
  } finally {
    await calls.close();
    await sim.close();
  }
}

describe('samples of the vendors’ answers', () => {
  it('Lever: applications that are not in the answer are read one by one', async () => {
    const sim = await startLever({ samples: true });
    const id = '6408dc54-0000-4e5b-8d60-0000000000a1';
    const read = await against(sim, lever, { kind: 'api_key', key: sim.apiKey }, async (api) => ({
      one: await lever.candidate(api, id),
      page: await lever.candidates(api, { ...START, since: new Date(1772400000000) }),
      none: await lever.candidate(api, '00000000-0000-0000-0000-000000000000'),
    }));
    const tomas = {
      remoteId: id,
      firstName: 'Tomas',
      lastName: 'Lindqvist',
      email: 'tomas.lindqvist@example.com',
      jobRemoteId: 'f00fc049-0000-4144-b23b-000000000001',
      status: 'active',
      stage: { id: 'applicant-new' },
      metadata: { application_id: '7278da68-0000-4203-b209-0000000000b1', ats_source: 'Careers page' },
      changedAt: new Date(1772440000500),
    };
    expect(read.one).toMatchObject(tomas);
    expect(read.page).toMatchObject({ records: [tomas], next: null });
    expect(read.none).toBeNull();
  });

  it('Greenhouse: a candidate by ids, joined with the application', async () => {
    const sim = await startGreenhouse({ samples: true });
    const { accessToken, refreshToken, expiresAt } = sim.grants.mint(greenhouse.oauth!.scopes.join(' '));
    const credential = { kind: 'oauth', accessToken, refreshToken, expiresAt, refreshedAt: expiresAt } as const;
    const priya = await against(sim, greenhouse, credential, (api) => greenhouse.candidate(api, '57683957'));
    expect(priya).toMatchObject({
      firstName: 'Priya',
      email: 'priya.venkataraman@example.com',
      jobRemoteId: '4410275',
      status: 'active',
      stage: { id: '767358', name: 'AI Interview' },
      metadata: { application_id: '69306314', ats_source: 'Jobs page on your website' },
      changedAt: new Date('2026-03-02T09:15:28Z'),
    });
  });

  it('Ashby: a candidate with the application, and jobs since a token', async () => {
    const sim = await startAshby({ samples: true });
    const read = await against(sim, ashby, { kind: 'api_key', key: sim.apiKey }, async (api) => ({
      one: await ashby.candidate(api, '6f017926-0000-4cd0-8b9b-0000000000c1'),
      jobs: await ashby.jobs(api, { ...START, syncToken: 'NOoXKnWgp' }),
      none: await ashby.candidate(api, '00000000-0000-4000-8000-000000000000'),
    }));
    expect(read.one).toMatchObject({
      firstName: 'Amara',
      jobRemoteId: '4071538b-0000-4fbf-ac76-000000000001',
      stage: { name: 'AI Interview' },
      metadata: { ats_source: 'Applied', referrer: null },
      changedAt: new Date('2026-03-02T09:15:28Z'),
    });
    expect(read.jobs).toMatchObject({
      records: [{ title: 'Customer Success Manager (DACH)', status: 'open' }],
      next: null,
      syncToken: 'NOoXKnWgq',
    });
    expect(read.none).toBeNull();
  });

  it('Zoho Recruit: a candidate, no newer openings, a refused token, a note and a field', async () => {
    const sim = await startZohoRecruit({ samples: true });
    const id = '480912000001234567';
    const job = sim.add.job({ id: '480912000000987654', silent: true });
    sim.add.candidate({ id, job: job.id, silent: true });
    const { accessToken, refreshToken, expiresAt } = sim.grants.mint(zohoRecruit.oauth!.scopes.join(' '));
    const credential = { kind: 'oauth', accessToken, refreshToken, expiresAt, refreshedAt: expiresAt } as const;
    const write = {
      candidateRemoteId: id,
      applicationRemoteId: null,
      marker: 'int_01HV6Z7Q',
      asUser: null,
      visibility: 'private',
      field: 'AI Interview Link',
      replaces: null,
    } as const;
    const link = { ...write, target: 'field', text: 'https://app.example.com/i/int_01HV6Z7Q' } as const;
    const read = await against(sim, zohoRecruit, credential, async (api) => ({
      one: await zohoRecruit.candidate(api, id),
      jobs: await zohoRecruit.jobs(api, { ...START, since: new Date('2026-03-02T08:00:00Z') }),
      refused: await zohoRecruit.candidates(api, { ...START, cursor: 'candidates:' }).catch((error: unknown) => error),
      field: await zohoRecruit.writes.write(api, link),
    }));
    expect(read.one).toMatchObject({
      remoteId: id,
      firstName: 'Zoë',
      lastName: 'Müller',
      email: 'zoe.muller@example.com',
      jobRemoteId: '480912000000987654',
      stage: { name: 'Associated' },
      metadata: { ats_source: 'Career site' },
      changedAt: new Date('2026-03-02T09:15:28Z'),
    });
    expect(read.jobs).toEqual({ records: [], leftOut: [], next: null });
    expect(read.refused).toMatchObject({ kind: 'refused' });
    expect(read.field).toBe(link.text);
  });
});
