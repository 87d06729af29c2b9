import { setTimeout as sleep } from 'node:timers/promises';
import type { LeverSimulator } from '../simulators/index.js';
import type { TestApp } from './app.js';
import { newHouse, type House } from './house.js';
import { patience } from './speed.js';

/** A tenant that is connected to an ATS. */
export interface Connected extends House {
  connectionId: string;
  token: string;
  secret: string;
  /** Sends a body to the inbound address; the token is in the query. */
  send(body: string | Buffer, headers?: Record<string, string>, token?: string): Promise<Response>;
  /** Sends an event of Lever, signed. */
  tell(
    event: string,
    data: Record<string, unknown>,
    given?: { token?: string; triggeredAt?: number },
  ): Promise<Response>;
  /** Resolves when nothing of the connection waits. */
  settled(): Promise<void>;
  /** Resolves when the pass that is asked for is over; returns its run. */
  sync(full?: boolean): Promise<Record<string, unknown>>;
  events(query?: string): Promise<Record<string, unknown>[]>;
  runs(): Promise<Record<string, unknown>[]>;
  candidates(): Promise<Record<string, unknown>[]>;
}

let made = 0;

/** Connects a new tenant to a stand-in for Lever, and waits until the first import is over. */
export async function connectLever(
  service: TestApp,
  lever: LeverSimulator | null,
  settings: Record<string, unknown> = {},
): Promise<Connected> {
  const house = await newHouse(service);
  const token = `whk_test_${++made}_7d1f0c3e9b5a4826`;
  const secret = `lever-secret-${made}`;
  const reads = lever === null ? {} : { base_url: lever.url, credential: { kind: 'api_key', key: lever.apiKey } };
  const body = { provider: 'lever', api_token: token, signing_secret: secret, ...reads, ...settings };
  const { status, body: connection } = await house.api.post('/ats-connections', body);
  if (status !== 201) throw new Error(`the connection was refused: ${JSON.stringify(connection)}`);
  const path = `/ats-connections/${connection.id}`;
  const list = async (below: string) =>
    (await house.api.get(`${path}/${below}`)).body.data as Record<string, unknown>[];
  const send = (raw: string | Buffer, headers: Record<string, string> = {}, given = token) =>
    fetch(`${service.url}/api/webhooks/lever?api_token=${given}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: raw as string,
    });
  const runs = () => list('runs');
  const connected: Connected = {
    ...house,
    connectionId: connection.id,
    token,
    secret,
    send,
    tell: (event, data, given) => {
      const message = lever!.message(event, data, given);
      return send(message.build({ id: '', url: '', event: null, secret, headers: {} }, 0).body);
    },
    settled: () => until(async () => (await list('events?state=waiting')).length === 0),
    sync: async (full = false) => {
      const before = (await runs())[0]?.['id'];
      await house.api.post(`${path}/sync`, { full });
      await until(async () => {
        const [run] = await runs();
        return run !== undefined && run['id'] !== before && run['state'] !== 'running';
      });
      return (await runs())[0]!;
    },
    events: (query = '') => list(`events${query}`),
    runs,
    candidates: async () => (await house.api.get('/candidates')).body.data,
  };
  if (lever !== null) await until(async () => (await runs()).some((run) => run['state'] === 'done'));
  return connected;
}

/** Resolves when a condition holds. */
export async function until(holds: () => Promise<boolean>, ms = patience(20_000)): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('what was waited for did not happen');
    await sleep(25);
  }
}
