import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
// @ts-expect-error: the package has no types
import { load as loadUntyped } from 'js-yaml';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse } from '../support/house.js';
import { eventually, send } from '../support/http.js';
import { fresh, user } from '../support/scim.js';
import { read } from './documents.js';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}
interface Panel {
  id: number;
  title: string;
  targets: { expr: string }[];
}

const load = loadUntyped as (text: string) => unknown;
const { groups } = load(read('docs/run/alerts.yml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('docs/run/dashboard.json')) as { panels: Panel[] };

const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool', '/opt/homebrew/bin/promtool'].find((file) =>
  existsSync(file),
);
const required = process.env['PROMTOOL_TESTS'] === 'required';
const itWithPromtool = promtool !== undefined || required ? it : it.skip;
if (promtool === undefined && !required) {
  process.stderr.write(
    'No promtool on this machine: its tests are skipped. Install it (apt-get install prometheus).\n',
  );
}

/** Runs promtool; returns what it complains of. */
function checked(what: string, input: string, ...args: string[]): string {
  if (promtool === undefined) throw new Error('PROMTOOL_TESTS=required, and there is no promtool on this machine');
  const { status, stdout, stderr } = spawnSync(promtool, ['check', what, ...args], { input, encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

let service: TestApp;
let metrics: string;
beforeAll(async () => {
  service = await startApp({
    NODE_ENV: 'production',
    BASE_URL: 'https://bridge.example.com',
    ENCRYPTION_KEY: Buffer.from('0123456789abcdef0123456789abcdeX').toString('base64'),
    RATE_LIMIT: '1000',
    ALLOW_UNSAFE: 'ALLOW_PRIVATE_DESTINATIONS',
  });
  const house = await newHouse(service);
  // A user without an e-mail is held, and a second one of the same name is refused.
  const body = user(fresh('name'), { emails: undefined });
  expect((await house.scim.post('/Users', body)).status).toBe(201);
  expect((await house.scim.post('/Users', body)).status).toBe(409);
  expect((await send('GET', `${service.url}/scim/v2/Users`, 'tbs_wrong')).status).toBe(401);
  metrics = await eventually(
    async () => (await fetch(`${service.url}/metrics`)).text(),
    (text) => /bridge_users_held\{reason="no_email"\} [1-9]/.test(text),
  );
});
afterAll(() => service.close());

/** The names of metrics in an expression, without the ends that a histogram adds. */
const namesIn = (expr: string) =>
  (expr.match(/\bbridge_\w+/g) ?? []).map((name) => name.replace(/_(bucket|count|sum)$/, ''));
const known = () => new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));

it('counts held users and refused SCIM requests by reason, and names settings that lift a protection', () => {
  expect(metrics).toMatch(/^bridge_users_held\{reason="guard"\} 0$/m);
  expect(metrics).toMatch(/^bridge_scim_refused_total\{reason="uniqueness"\} 1$/m);
  expect(metrics).toMatch(/^bridge_scim_refused_total\{reason="credential_\w+"\} 1$/m);
  expect(metrics).toMatch(/^bridge_protection_lifted\{setting="ALLOW_PRIVATE_DESTINATIONS"\} 1$/m);
});

it('each alarm asks for metrics that there are, and leads to a page', () => {
  expect(rules.length).toBeGreaterThan(8);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, expr, labels, annotations } of rules) {
    expect([alert, namesIn(expr).filter((name) => !known().has(name))]).toEqual([alert, []]);
    expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(warning|critical)$/)]);
    expect(annotations.summary).toMatch(/\S \S.*\.$/);
    expect(read(annotations.runbook)).toMatch(/^# /);
  }
});

it('each alarm of the list of alarms that is about a metric has a rule', () => {
  const alarms = read('docs/run/metrics.md').split('## Alarms')[1]!.split('\n## ')[0]!;
  const wanted = [...alarms.matchAll(/`(bridge_\w+)/g)].map(([, name]) => name!);
  const ruled = new Set(rules.flatMap(({ expr }) => namesIn(expr)));
  expect(wanted.length).toBeGreaterThan(4);
  expect(wanted.filter((name) => !ruled.has(name))).toEqual([]);
});

it('each panel of the dashboard asks for metrics that there are', () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  for (const { title, targets } of dashboard.panels) {
    const names = targets.flatMap(({ expr }) => namesIn(expr));
    expect([title, names.length > 0, names.filter((name) => !known().has(name))]).toEqual([title, true, []]);
  }
});

it('each metric of the service is in the list of metrics', () => {
  const page = read('docs/run/metrics.md');
  expect([...known()].filter((name) => name.startsWith('bridge_') && !page.includes(`\`${name}\``))).toEqual([]);
});

itWithPromtool('promtool accepts the metrics and the rules', () => {
  expect(checked('metrics', metrics)).toBe('');
  expect(checked('rules', '', 'docs/run/alerts.yml')).toBe('');
});
