import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page, Route } from 'playwright-core';
import type { TestApp } from './app.js';
import { madeClient } from './clients.js';
import { newHouse, type House } from './house.js';
import { madeGroup, madeUser, user } from './scim.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Text that an IdP can send, and that must stay text. */
export const HOSTILE = '<img src=x onerror=alert(1)>\u202E=cmd|calc';

/** The states that each page can be in. */
export const STATES = ['full', 'empty', 'slow', '500', '403', 'expired'] as const;
/** The state of a page: what its tenant has, or how the API answers it. */
export type PageState = (typeof STATES)[number];

/** The looks that each page can have. */
export const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 320 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 320 },
] as const;
/** How a page is looked at. */
export type Look = (typeof LOOKS)[number];

/** Makes a tenant with something on each page; the texts of its records are hostile. */
export async function fullHouse(service: TestApp): Promise<{ house: House; userId: string }> {
  const house = await newHouse(service, {
    default_role: null,
    guard: { percent: 20, people: 200, at_least: 1, within_minutes: 60, day_percent: 50 },
  });
  const name = { givenName: HOSTILE, familyName: 'N' };
  const userId = await madeUser(house.scim, user('anna@x.example', { displayName: HOSTILE, name }));
  const others: string[] = [];
  for (let n = 0; n < 6; n++) others.push(await madeUser(house.scim, user(`${n}-${'x'.repeat(60)}@x.example`)));
  await madeGroup(house.scim, [userId, ...others], { displayName: HOSTILE });
  await house.api.post('/users', { email: 'b@x.example', first_name: HOSTILE, last_name: 'X' });
  await madeClient(house, { name: HOSTILE });
  await house.api.patch(`/directories/${house.directoryId}`, {
    allow_from: ['127.0.0.0/8', '::1'],
    custom_attributes: [{ name: `a${'x'.repeat(63)}`, type: 'string', multi_valued: true, description: HOSTILE }],
  });
  await house.api.put('/seats/limit', { limit: 1 });
  await house.api.post('/changes/resend', { since: '2026-01-01T00:00:00Z' });
  for (const id of others.slice(0, 4)) await house.scim.delete(`/Users/${id}`);
  return { house, userId };
}

/** Returns the addresses of all pages of a tenant. */
export function pagesOf({ directoryId }: House, userId: string): string[] {
  const parts = ['', '/connect', '/groups', '/attributes', '/roles', '/preview', '/guard', '/requests', '/settings'];
  return [
    '/console',
    '/console/users',
    `/console/users/${userId}`,
    '/console/held',
    '/console/directories',
    ...parts.map((part) => `/console/directories/${directoryId}${part}`),
    ...['', '/holders', '/ledger', '/limit'].map((part) => `/console/seats${part}`),
    '/console/tasks',
    '/console/nothing',
  ];
}

/** The answer of the API in a state, to everything but the question who is there. */
async function answer(state: PageState, route: Route): Promise<void> {
  const problem = (status: number, code: string, detail: string) =>
    route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify({ status, code, detail }) });
  if (state === '500') await problem(500, 'internal', 'The service failed.');
  if (state === '403') await problem(403, 'missing_scope', 'This needs the scope users:read.');
  if (state === 'expired') await problem(401, 'credential_invalid', 'The session has ended.');
  // A slow answer does not come while the page is looked at.
}

/** Opens a page in a state and a look, and waits until it shows the state. */
export async function visit(
  page: Page,
  address: string,
  state: PageState,
  { colorScheme, width }: Look,
): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  const isAnswered = state === 'full' || state === 'empty';
  if (!isAnswered) {
    const kept = state === 'expired' ? /\/api\/v1\/me$/ : /\/api\/v1\/(me|tenant)$/;
    await page.route(
      (url) => url.pathname.startsWith('/api/v1/') && !kept.test(url.pathname),
      (route) => answer(state, route),
    );
  }
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (isAnswered) await page.waitForLoadState('networkidle');
  if (state === 'expired') await page.getByText('Your session has ended').waitFor();
  if (address.endsWith('/nothing')) return;
  if (state === 'slow') await page.locator('.skeleton').first().waitFor();
  if (state === '500' || state === '403') await page.getByRole('alert').first().waitFor();
}

interface Finding {
  id: string;
  nodes: { target: unknown[] }[];
}

/** Returns what is wrong with a page at the moment: findings of axe, sideways scrolling, more or fewer than one heading. */
export async function faultsOf(page: Page, { width }: Look): Promise<string[]> {
  // The policy of the page admits no script but its own files; the test evaluates beside it.
  await page.evaluate(AXE);
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: Finding[] }> } };
    return (await axe.run()).violations;
  });
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
  const headings = await page.locator('h1').count();
  return [
    ...findings.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ...(wide === width ? [] : [`${wide} px wide`]),
    ...(headings === 1 ? [] : [`${headings} headings`]),
  ];
}
