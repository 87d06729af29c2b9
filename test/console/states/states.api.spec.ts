import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { LOOKS, STATES } from '../../support/console-states.js';
import { patience } from '../../support/speed.js';
import { Tour } from './tour.js';

let service: TestApp;
let browser: Browser;
let tour: Tour;

// Each page once with records and once in another state, so that each state and each look comes several times. All
// combinations: states.long.spec.ts.
describeInBrowser('the pages of the console in their states', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
    tour = await Tour.begin(browser, service);
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  it(
    'are without findings of axe, complaints and sideways scrolling with records',
    async () => {
      for (let i = 0; i < tour.length; i++) await tour.look(i, 'full', LOOKS[i % LOOKS.length]!);
    },
    patience(120_000),
  );

  it(
    'are without them while they are empty, slow, refused, failed or without a session',
    async () => {
      const others = STATES.slice(1);
      for (let i = 0; i < tour.length; i++) {
        await tour.look(i, others[i % others.length]!, LOOKS[(i + 1) % LOOKS.length]!);
      }
    },
    patience(120_000),
  );

  it('are without them for the operator, and at the way in', () => tour.lookAtOthers(browser), patience(60_000));
});
