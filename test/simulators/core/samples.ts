import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SimAnswer, SimRequest } from './http.js';

/** A sample of a vendor: one call to its API, or one of its webhooks. */
export interface Sample {
  name: string;
  kind: string;
  request: {
    method: string;
    path: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    body?: unknown;
    raw_body?: string;
    raw_body_sha256?: string;
  };
  response?: { status: number; headers: Record<string, string>; body?: unknown };
  secret?: string;
  receivedAt?: string;
  expect?: Record<string, unknown>;
}

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../samples');

/** Returns the samples of a vendor. */
export function samplesOf(vendor: string, folder = process.env['ATS_SAMPLES'] ?? FOLDER): Sample[] {
  const own = path.join(folder, vendor);
  return readdirSync(own)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { _meta: meta, ...rest } = JSON.parse(readFileSync(path.join(own, file), 'utf8')) as {
        _meta: { kind: string; received_at?: string };
      } & Omit<Sample, 'name' | 'kind'>;
      return { ...rest, name: file.replace(/\.json$/, ''), kind: meta.kind, receivedAt: meta.received_at };
    });
}

/** Returns a sample's answer to a request, word for word; null: there is none. */
export function answerOf(samples: readonly Sample[], request: SimRequest): SimAnswer | null {
  const found = samples.find((sample) => fits(sample, request));
  if (found?.response === undefined) return null;
  const { status, headers, body } = found.response;
  return { status, headers, json: body };
}

function fits({ kind, request: known, response }: Sample, request: SimRequest): boolean {
  // A refusal for a limit fits every request: it is a fault, which a test asks for.
  if (response?.status === 429) return false;
  if (kind !== 'api_exchange' || known.method !== request.method || known.path !== request.path) return false;
  if (known.body !== undefined) return JSON.stringify(known.body) === JSON.stringify(request.json);
  return Object.entries(known.query ?? {}).every(([name, value]) => request.query.getAll(name).includes(value));
}
