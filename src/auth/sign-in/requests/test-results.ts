import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import type { TestResult } from '../pages/pages.js';
import { BrowserHalf, isHandle } from './browser-half.js';
import { SignInRequestsRepository } from './sign-in-requests.repository.js';
import { cookiesOf, type SignInHttpRequest } from './sign-in.context.js';

/** The results of test sign-ins. Each is shown for ten minutes, to the browser that made the test. */
@Injectable()
export class TestResults {
  constructor(private readonly requests: SignInRequestsRepository) {}

  /** Returns the cookie with which the browser can load the result again; null when another browser began the test. */
  async keep(req: SignInHttpRequest, result: TestResult): Promise<string | null> {
    const { connection, request, browser } = req.signInContext!;
    if (request === null || browser === null || request.kind !== 'test') return null;
    await this.requests.keepResult(connection.tenantId, request.id, result);
    return browser.cookie(request.id, connection.type === 'saml' ? 'None' : 'Lax');
  }

  async of(req: SignInHttpRequest, connection: Connection, handle: string): Promise<TestResult | null> {
    if (!isHandle(handle)) return null;
    const kept = await this.requests.keptResult(connection.tenantId, connection.id, handle);
    if (kept === null || BrowserHalf.of(cookiesOf(req), handle, kept.browser_hash) === null) return null;
    return kept.result as TestResult;
  }
}
