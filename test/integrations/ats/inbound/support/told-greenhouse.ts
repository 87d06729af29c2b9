import { createHmac } from 'node:crypto';
import type { TestApp } from '../../../../support/app.js';
import { newHouse, type House } from '../../../../support/house.js';
import { chosenToken, until } from '../../../../support/ats.js';

/** A Greenhouse that is known by its signed webhooks alone: nothing can be read. */
export interface ToldGreenhouse extends House {
  connectionId: string;
  /** Sends an event. */
  send(action: string, payload: object, key?: string): Promise<void>;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
  candidates(query?: string): Promise<Record<string, unknown>[]>;
  resolve(externalId: string): Promise<string | null>;
}

/** An application of a candidate, as a webhook holds it. */
export interface Told {
  person: number;
  application: number;
  status?: string;
  stage?: string;
  email?: string;
  at: string;
}

let made = 0;

export async function toldGreenhouse(service: TestApp, more: object = {}): Promise<ToldGreenhouse> {
  const house = await newHouse(service);
  const token = chosenToken();
  const secret = `told-secret-${++made}`;
  const { status, body } = await house.api.post('/ats-connections', {
    provider: 'greenhouse',
    api_token: token,
    signing_secret: secret,
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const path = `/ats-connections/${body.id as string}`;
  return {
    ...house,
    connectionId: body.id,
    async send(action, payload, key) {
      const raw = JSON.stringify({ action, payload });
      const digest = createHmac('sha256', secret).update(raw).digest('hex');
      const response = await fetch(`${service.url}/api/webhooks/greenhouse?api_token=${token}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'greenhouse-event-id': key ?? `evt-${++made}`,
          signature: `sha256 ${digest}`,
        },
        body: raw,
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    },
    settled: () => until(async () => (await house.api.get(`${path}/events?state=waiting`)).body.data.length === 0),
    candidates: async (query = '') => (await house.api.get(`/candidates${query}`)).body.data,
    resolve: async (externalId) =>
      (await house.api.get(`/resolve?type=candidate&external_id=${externalId}`)).body.id as string | null,
  };
}

/** Returns the payload of an event about an application. */
export function applicationOf({ person, application, status = 'active', stage = 'Review', email, at }: Told): object {
  return {
    application: {
      id: application,
      status,
      rejected_at: status === 'rejected' ? at : null,
      last_activity_at: at,
      current_stage: { id: stage.length, name: stage },
      candidate: {
        id: person,
        first_name: 'Wim',
        last_name: `No ${person}`,
        email_addresses: [{ value: email ?? `p${person}@example.com` }],
      },
      jobs: [{ id: 5_500_101, name: 'Engineer', status: 'open', created_at: '2026-02-01T00:00:00Z' }],
    },
  };
}

export const merged = (loser: number, survivor: number): object => ({
  person: { id: loser, first_name: 'P', last_name: 'Q', new_candidate_id: survivor },
});

export const updated = (person: number, email: string): object => ({
  candidate: { id: person, first_name: 'Wim', last_name: `No ${person}`, email_addresses: [{ value: email }] },
});
