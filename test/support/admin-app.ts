import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Database } from '../../src/base/database/database.js';
import { setupDocs } from '../../src/operations/docs/docs.js';
import { testDatabase, type TestDatabase } from './database.js';
import type { Answer } from './http.js';
import { smallApp, type Asked } from './small-app.js';

export interface AdminApp {
  baseUrl: string;
  operatorToken: string;
  tenant: { id: string; api_key: string };
  asked: Asked;
  /** With the rights of the owner; the application itself runs as the service's role. */
  db: Database;
  app: NestExpressApplication;
  lines: string[];
  dataDir: string;
  call(method: string, url: string, options?: CallOptions): Promise<Answer>;
  newTenant(): Promise<{ id: string; api_key: string }>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string | null;
  body?: unknown;
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

/** The administration alone, over HTTP and on a database of its own: without SCIM, seats and delivery. */
export async function adminApp(
  env: Record<string, string> = {},
  more: Type[] = [],
  shared?: TestDatabase,
): Promise<AdminApp> {
  const database = shared ?? (await testDatabase());
  const small = await smallApp({ database, env, controllers: more, setUp: setupDocs });
  const { url: baseUrl, config } = small;

  const call = async (method: string, url: string, options: CallOptions = {}): Promise<Answer> => {
    const headers: Record<string, string> = { ...options.headers };
    const token = options.token === undefined ? made.tenant.api_key : options.token;
    if (token !== null) headers['authorization'] = `Bearer ${token}`;
    let body = options.raw;
    if (options.body !== undefined) {
      body = JSON.stringify(options.body);
      headers['content-type'] ??= 'application/json';
    }
    // A Buffer is a body for fetch, although the types of the two libraries differ.
    const res = await fetch(baseUrl + url, { method, headers, body: body as never, redirect: 'manual' });
    const text = await res.text();
    const json = /[/+]json/.test(res.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
    return { status: res.status, headers: res.headers, body: json, text };
  };
  const newTenant = async (): Promise<{ id: string; api_key: string }> => {
    const res = await call('POST', '/api/v1/tenants', {
      token: config.operatorToken,
      body: { name: 'Test', api_key: { name: 'test' } },
    });
    if (res.status !== 201) throw new Error(`no tenant: ${res.status} ${res.text}`);
    return res.body as { id: string; api_key: string };
  };
  const made = { tenant: { id: '', api_key: '' } };
  made.tenant = await newTenant();
  return {
    baseUrl,
    operatorToken: config.operatorToken,
    tenant: made.tenant,
    db: database.owner,
    asked: small.asked,
    app: small.app,
    lines: small.lines,
    dataDir: small.dataDir,
    call,
    newTenant,
    close: async () => {
      await small.close();
      if (shared === undefined) await database.close();
    },
  };
}
