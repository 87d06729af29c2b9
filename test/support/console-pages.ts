import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { TestApp } from './app.js';
import { consoleLink } from './console.js';

/** What a browser has said and been refused while the console was open. */
export interface Watched {
  page: Page;
  /** Errors and warnings of the console, violations of the policy among them, and requests to other origins. */
  complaints: string[];
}

/** Opens a page that notes what the browser complains of. */
export async function watched(context: BrowserContext, service: TestApp): Promise<Watched> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium reports each answer of 400 and more; the page shows it to the user.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  return { page, complaints };
}

/** Opens the console of a tenant in a browser of its own, by a link. */
export async function entered(
  browser: Browser,
  service: TestApp,
  {
    role = 'admin',
    tenantId,
    ...look
  }: {
    role?: 'admin' | 'auditor' | 'operator';
    /** Left out: the operator enters no tenant. */
    tenantId?: string;
    viewport?: { width: number; height: number };
    colorScheme?: 'light' | 'dark';
  },
): Promise<Watched & { context: BrowserContext }> {
  const context = await browser.newContext(look);
  const opened = await watched(context, service);
  const link = new URL(await consoleLink(service, role, role === 'operator' ? undefined : tenantId));
  await opened.page.goto(`${service.url}/console${link.hash}`);
  await opened.page.getByRole('button', { name: 'Open the console' }).click();
  await opened.page.getByRole('heading', { level: 1, name: role === 'operator' ? 'Tenants' : 'Overview' }).waitFor();
  return { context, ...opened };
}
