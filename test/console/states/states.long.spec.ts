import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../../support/app.js';
import { describeInBrowser, launch } from '../../support/browser.js';
import { LOOKS, STATES } from '../../support/console-states.js';
import { someOf } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';
import { Tour } from './tour.js';

let service: TestApp;
let browser: Browser;
let tour: Tour;

describeInBrowser('each page of the console', () => {
  beforeAll(async () => {
    service = await startApp();
    browser = await launch();
    tour = await Tour.begin(browser, service);
  }, patience(60_000));
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const combinations = STATES.flatMap((state) =>
    LOOKS.map((look) => [state, look.colorScheme, look.width, look] as const),
  );
  it.each(someOf(combinations))(
    'is without findings of axe, complaints and sideways scrolling: %s, %s, %i px wide',
    async (state, _scheme, _width, look) => {
      for (let i = 0; i < tour.length; i++) await tour.look(i, state, look);
    },
    patience(240_000),
  );

  it('is without them for the operator, and at the way in', () => tour.lookAtOthers(browser), patience(60_000));
});
