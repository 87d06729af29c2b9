import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface ProviderConfig {
  port?: number;
  host?: string;
  clients: Record<string, unknown>[];
  accounts: Record<string, Record<string, unknown>>;
  autoLogin?: string;
  alg?: string;
}

export interface RunningProvider {
  issuer: string;
  stop: () => Promise<void>;
}

/** Starts `provider.mjs` as a process of its own; resolves when it listens. */
export async function startProvider(config: ProviderConfig): Promise<RunningProvider> {
  const program = path.join(process.cwd(), 'test/protocols/oidc/support/provider.mjs');
  const child = spawn(process.execPath, [program, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([line, ended.then(() => null)]);
  if (first === null) throw new Error('the provider did not start');
  return {
    issuer: (JSON.parse(first[0]) as { issuer: string }).issuer,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** A browser that follows redirects and keeps cookies, until an address begins with `stop`. */
export class TinyBrowser {
  private readonly cookies = new Map<string, string>();

  /** Out: the address that it stopped at, and the page if it came to one. */
  async go(address: string, stop: string, init: RequestInit = {}): Promise<{ url: URL; html: string | null }> {
    let url = new URL(address);
    let request = init;
    for (let hops = 0; hops < 10; hops += 1) {
      if (url.href.startsWith(stop)) return { url, html: null };
      const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { ...request, redirect: 'manual', headers: { ...request.headers, cookie } });
      for (const set of answer.headers.getSetCookie()) this.keep(set);
      const location = answer.headers.get('location');
      if (location === null) return { url, html: await answer.text() };
      await answer.body?.cancel();
      url = new URL(location, url);
      request = {};
    }
    throw new Error('too many redirects');
  }

  /** Sends the form with these fields. */
  submit(page: { url: URL; html: string | null }, action: string, fields: object, stop: string) {
    return this.go(new URL(action, page.url).href, stop, {
      method: 'POST',
      body: new URLSearchParams(fields as Record<string, string>),
    });
  }

  private keep(set: string): void {
    const [name, value] = set.split(';')[0]!.split(/=(.*)/s) as [string, string];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
