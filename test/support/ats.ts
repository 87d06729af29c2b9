import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../simulators/core/sender.js';
import type { AshbySimulator, GreenhouseSimulator, LeverSimulator } from '../simulators/index.js';
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
  /** Sends a message of the simulator, signed; to another process where its address is given. */
  deliver(message: Message, url?: string): Promise<Response>;
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

/** Returns a token of a webhook address as a customer brings it: made by chance. */
export function chosenToken(): string {
  return `whk_${randomBytes(24).toString('hex')}`;
}

/** Connects a new tenant to a stand-in for Lever, and waits until the first import is over. */
export function connectLever(
  service: TestApp,
  lever: LeverSimulator | null,
  settings: Record<string, unknown> = {},
  house?: House,
): Promise<Connected> {
  const reads = lever === null ? {} : { base_url: lever.url, credential: { kind: 'api_key', key: lever.apiKey } };
  return connected(service, lever, { provider: 'lever', ...reads, ...settings }, house);
}

/** The same for Ashby. @param house a tenant that has a connection already; a new one unless set */
export function connectAshby(
  service: TestApp,
  ashby: AshbySimulator,
  settings: Record<string, unknown> = {},
  house?: House,
): Promise<Connected> {
  const reads = { base_url: ashby.url, credential: { kind: 'api_key', key: ashby.apiKey } };
  return connected(service, null, { provider: 'ashby', ...reads, ...settings }, house);
}

/** The same for Greenhouse, which the service was started with: `ATS_SIMULATORS`. */
export function connectGreenhouse(
  service: TestApp,
  sim: GreenhouseSimulator,
  settings: Record<string, unknown> = {},
): Promise<Connected> {
  const { id, secret } = sim.grants.client;
  const credential = { kind: 'client_credentials', client_id: id, client_secret: secret };
  return connected(service, null, { provider: 'greenhouse', region: 'simulator', credential, ...settings });
}

async function connected(
  service: TestApp,
  lever: LeverSimulator | null,
  settings: Record<string, unknown>,
  given?: House,
): Promise<Connected> {
  const house = given ?? (await newHouse(service));
  const token = chosenToken();
  const secret = `ats-secret-${++made}`;
  const body = { api_token: token, signing_secret: secret, ...settings };
  const { status, body: connection } = await house.api.post('/ats-connections', body);
  if (status !== 201) throw new Error(`the connection was refused: ${JSON.stringify(connection)}`);
  const path = `/ats-connections/${connection.id}`;
  const list = async (below: string) =>
    (await house.api.get(`${path}/${below}`)).body.data as Record<string, unknown>[];
  const send = (raw: string | Buffer, headers: Record<string, string> = {}, ofToken = token, url = service.url) =>
    fetch(`${url}/api/webhooks/${connection.provider}?api_token=${ofToken}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: raw as string,
    });
  const deliver = (message: Message, url?: string) => {
    const built = message.build({ id: '', url: '', event: null, secret, headers: {} }, 0);
    return send(built.body, built.headers, token, url);
  };
  const runs = () => list('runs');
  const ats: Connected = {
    ...house,
    connectionId: connection.id,
    token,
    secret,
    send,
    deliver,
    tell: (event, data, more) => deliver(lever!.message(event, data, more)),
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
  if ('credential' in settings) await until(async () => (await runs()).some((run) => run['state'] === 'done'));
  return ats;
}

/** Resolves when a condition holds. */
export async function until(holds: () => Promise<boolean>, ms = patience(20_000)): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('what was waited for did not happen');
    await sleep(25);
  }
}
