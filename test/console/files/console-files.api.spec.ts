import { sharedApp, type TestApp } from '../../support/app.js';

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

const get = (path: string, acceptEncoding = 'identity') =>
  fetch(`${service.url}${path}`, { headers: { 'accept-encoding': acceptEncoding } });
const firstFile = async (): Promise<string> => {
  const page = await (await get('/console')).text();
  return /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)![1]!;
};

describe('the files of the console', () => {
  it.each(['/console', '/console/', '/console/users', '/console/directories/dir_1/guard'])(
    'serves one document at %s, under a strict policy and never stored',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = answer.headers.get('content-security-policy')!;
      for (const rule of [
        "default-src 'none'",
        "script-src 'self';",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types 'none'",
      ]) {
        expect(policy).toContain(rule);
      }
      expect(policy).not.toContain('unsafe');
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(await answer.text()).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/);
    },
  );

  it('serves files for ever, in the form that the client accepts', async () => {
    const path = await firstFile();
    const plain = Buffer.from(await (await get(path)).arrayBuffer());
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(path, encoding);
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(Buffer.from(await answer.arrayBuffer()).equals(plain)).toBe(true);
    }
  });

  it.each(['nothing.js', 'index.html', '..%2f..%2fpackage.json', '%00', 'console.js.br'])(
    'has no file named %s',
    async (name) => {
      expect((await get(`/console/assets/${name}`)).status).toBe(404);
    },
  );
});
