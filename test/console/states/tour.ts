import type { Browser } from 'playwright-core';
import type { TestApp } from '../../support/app.js';
import { entered, type Watched } from '../../support/console-pages.js';
import { faultsOf, fullHouse, LOOKS, pagesOf, visit, type Look, type PageState } from '../../support/console-states.js';
import { newHouse } from '../../support/house.js';

/** The pages of a tenant with records and of one without, each in a browser that has entered. */
export class Tour {
  private constructor(
    private readonly service: TestApp,
    private readonly full: Watched & { pages: string[] },
    private readonly empty: Watched & { pages: string[] },
    readonly operator: Watched,
  ) {}

  static async begin(browser: Browser, service: TestApp): Promise<Tour> {
    const { house, userId } = await fullHouse(service);
    const none = await newHouse(service);
    const full = await entered(browser, service, { tenantId: house.tenantId });
    const empty = await entered(browser, service, { tenantId: none.tenantId });
    const unknown = 'usr_01k0000000abcdefghjkmnpqrs';
    return new Tour(
      service,
      { ...full, pages: pagesOf(house, userId) },
      { ...empty, pages: pagesOf(none, unknown) },
      await entered(browser, service, { role: 'operator' }),
    );
  }

  /** The number of pages of a tenant. */
  get length(): number {
    return this.full.pages.length;
  }

  /** Looks at one page of a tenant; demands that nothing is wrong with it. */
  async look(place: number, state: PageState, look: Look): Promise<void> {
    const { page, complaints, pages } = state === 'empty' ? this.empty : this.full;
    const address = pages[place]!;
    await visit(page, `${this.service.url}${address}`, state, look);
    const seen = [address, state, look.colorScheme, look.width];
    expect([...seen, await faultsOf(page, look), complaints]).toEqual([...seen, [], []]);
  }

  /** Looks at the page of the operator, and at the way in, in each look. */
  async lookAtOthers(browser: Browser): Promise<void> {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    for (const look of LOOKS) {
      for (const page of [this.operator.page, stranger]) {
        await visit(page, `${this.service.url}/console`, 'full', look);
        expect([look, await faultsOf(page, look)]).toEqual([look, []]);
      }
    }
    expect(this.operator.complaints).toEqual([]);
    await context.close();
  }
}
