import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { COMMANDS, runCli } from '../../../src/cli/program.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { fresh, madeUser, user } from '../../support/scim.js';

/** The command of each operation that answers with a task. */
const COMMAND_OF: Record<string, string> = {
  '/api/v1/platform/import': 'platform import',
  '/api/v1/platform/drift': 'drift run',
  '/api/v1/changes/resend': 'changes resend',
  '/api/v1/changes/retry': 'changes retry',
  '/api/v1/changes/dismiss': 'changes dismiss',
  '/api/v1/held/release': 'held release',
  '/api/v1/held/discard': 'held discard',
  '/api/v1/directories/{directory_id}/guard/release': 'directory guard release',
  '/api/v1/directories/{directory_id}/guard/discard': 'directory guard discard',
  '/api/v1/directories/{directory_id}/guard/undo': 'directory guard undo',
  '/api/v1/directories/{directory_id}/preview/plan': 'directory plan make',
  '/api/v1/directories/{directory_id}/rules/plan': 'directory rules plan',
  '/api/v1/directories/{directory_id}/unlinked/deactivate': 'directory unlinked deactivate',
  '/api/v1/webhooks/{webhook_id}/replay': 'webhook replay',
};

/** A platform with a list of 250 accounts, whose pages can be held back. */
class PagedPlatform {
  /** Runs before each page, with its first entry. */
  beforePage: (from: number) => Promise<void> | void = () => undefined;
  status = 200;
  saysTotal = true;
  private readonly server = http.createServer((req, res) => void this.answer(new URL(req.url!, 'http://x'), res));

  private async answer(url: URL, res: http.ServerResponse): Promise<void> {
    const from = Number(url.searchParams.get('cursor') ?? 0);
    await this.beforePage(from);
    const all = Array.from({ length: 250 }, (_, i) => ({
      id: `a${i}`,
      email: `p${i}@import.example`,
      status: 'active',
    }));
    const next_cursor = from + 100 < all.length ? String(from + 100) : null;
    res.writeHead(this.status, {
      'content-type': 'application/json',
      ...(this.saysTotal ? { 'x-total-count': '250' } : {}),
    });
    res.end(
      JSON.stringify(this.status === 200 ? { data: all.slice(from, from + 100), next_cursor } : { detail: 'no list' }),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

let service: TestApp;
let platform: PagedPlatform;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  platform = new PagedPlatform();
  await platform.start();
  at = await newHouse(service);
  await at.api.put('/platform', { base_url: platform.url, api_key: 'key' });
});
afterEach(() => platform.stop());
afterAll(() => service.close());

/** Runs a command; `onLine` receives each text that the command writes beside its answer. */
async function run(
  line: string,
  onLine: (text: string, interrupt: () => void) => void = () => undefined,
  liveWidth?: number,
) {
  const env = { DATA_DIR: service.dataDir, TALENT_BRIDGE_URL: service.url, TALENT_BRIDGE_API_KEY: at.apiKey };
  let out = '';
  let err = '';
  let interrupt: () => void = () => undefined;
  const code = await runCli(line.split(' '), env, {
    out: (text) => (out += text),
    err: (text) => {
      err += text;
      onLine(text, interrupt);
    },
    liveWidth,
    onInterrupt: (act) => {
      interrupt = act;
      return () => undefined;
    },
  });
  return { code, out, err };
}

it('exists for every operation that answers with a task', async () => {
  const { paths } = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, object> }>>;
  };
  const answering = Object.entries(paths)
    .filter(([, methods]) =>
      Object.values(methods).some(({ responses }) => JSON.stringify(responses?.['202'] ?? '').includes('TaskBody')),
    )
    .map(([path]) => path);
  expect(answering.sort()).toEqual(Object.keys(COMMAND_OF).sort());
  for (const name of Object.values(COMMAND_OF)) {
    expect([name, COMMANDS.find(({ noun, verb }) => `${noun} ${verb}` === name)?.begins]).toEqual([name, 'answer']);
  }
});

it('shows the share of the total of the platform, and then the task', async () => {
  let shown!: () => void;
  const seen = new Promise<void>((resolve) => (shown = resolve));
  // The second page comes when the share of the first has been shown.
  platform.beforePage = (from) => (from === 100 ? seen : undefined);
  const { code, out, err } = await run(
    'platform import --wait',
    (text) => {
      if (text.includes('100/250')) shown();
    },
    120,
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^state +done$/m)]);
  expect(out).toMatch(/^progress +█{10} 100 % 250\/250$/m);
  expect(err).toMatch(/\r\u001b\[Kplatform\.import tsk_\w+ {2}████░{6} 40 % 100\/250/);
  expect(err).toMatch(/ done: 250 done in \d+ s\n$/);
});

it('counts without a share when the platform has no total', async () => {
  platform.saysTotal = false;
  let shown!: () => void;
  const seen = new Promise<void>((resolve) => (shown = resolve));
  platform.beforePage = (from) => (from === 100 ? seen : undefined);
  const { code, err } = await run(
    'platform import --wait',
    (text) => {
      if (text.includes('100, still counting')) shown();
    },
    120,
  );
  expect([code, err]).toEqual([0, expect.stringContaining('done: 250 done')]);
});

it('cuts the line at the width of the terminal, and writes lines without a terminal', async () => {
  const narrow = await run('drift run --wait', undefined, 20);
  for (const text of narrow.err.split('\r\u001b[K').slice(1, -1)) expect(text.length).toBeLessThan(20);
  expect((await run('drift run --wait')).err).not.toMatch(/[\r\u001b]/);
});

it('prints JSON and nothing else to standard output', async () => {
  const { code, out } = await run('drift run --wait --json');
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ kind: 'platform.drift', state: 'done' })]);
});

it('fails with the reason of a task that fails', async () => {
  platform.status = 400;
  const { code, out, err } = await run('platform import --wait');
  expect([code, out]).toEqual([1, expect.stringMatching(/^state +failed$/m)]);
  expect(err).toMatch(/The task tsk_\w+ has failed: The platform refused its list: .*no list/);
});

it('leaves the task running when it is interrupted, and names the command that watches it', async () => {
  let interrupted!: () => void;
  const over = new Promise<void>((resolve) => (interrupted = resolve));
  platform.beforePage = (from) => (from === 100 ? over : undefined);
  const { code, err } = await run('platform import --wait', (text, interrupt) => {
    if (text.includes('platform.import')) interrupt();
  });
  expect(code).toBe(130);
  const [, id] = /The task continues without this command\. To watch it: task show (tsk_\w+) --wait\./.exec(err)!;
  expect((await at.api.get(`/tasks/${id}`)).body.state).toMatch(/waiting|running/);
  interrupted();
  expect(await run(`task show ${id} --wait`)).toMatchObject({ code: 0, out: expect.stringMatching(/^state +done$/m) });
});

it('follows the tasks of a command with another answer', async () => {
  await madeUser(at.scim, user(fresh('wait')));
  const group = await at.scim.post('/Groups', { displayName: 'Recruiting', members: [] });
  const { code, out, err } = await run(`directory rules ${at.directoryId} --set ${group.body.id}=User --wait`);
  expect([code, out]).toEqual([0, expect.stringContaining('Recruiting')]);
  expect(err).toMatch(/rules-changed tsk_\w+ {2}done: 1 done in/);
  const live = await run(`directory live ${at.directoryId} --wait`);
  expect([live.code, live.err]).toEqual([0, 'The command began no task: there is nothing to wait for.\n']);
});

it('reports that a command of held users has no task', async () => {
  const { code, err } = await run('held release --reason no_seat --dry-run --wait');
  expect([code, err]).toEqual([0, expect.stringContaining('nothing to wait for')]);
});
