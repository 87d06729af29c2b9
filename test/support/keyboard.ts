import type { Page } from 'playwright-core';

/** The most steps of Tab from one control to another one of a page. */
const MOST_STEPS = 120;

/** Returns the name of the control that has the focus, as a reader of the screen hears it. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return '';
  const labels = [...(at.labels ?? [])].map((label) => label.childNodes[0]?.textContent ?? '').join(' ');
  return (at.getAttribute('aria-label') ?? (labels || at.textContent || '')).trim();
})()`;

/** A user of a page who has a keyboard and no pointer. */
export class Keyboard {
  constructor(private readonly page: Page) {}

  /** Moves the focus by Tab to the first control after it with this name. */
  async to(name: string | RegExp): Promise<void> {
    const names = new Set<string>();
    for (let step = 0; step < MOST_STEPS; step++) {
      await this.page.keyboard.press('Tab');
      const focused = await this.page.evaluate<string>(FOCUSED);
      if (typeof name === 'string' ? focused === name : name.test(focused)) return;
      names.add(focused);
    }
    throw new Error(`Tab does not reach ${String(name)}; it reached: ${[...names].join(' | ')}`);
  }

  /** Presses the control with this name. */
  async press(name: string | RegExp): Promise<void> {
    await this.to(name);
    await this.page.keyboard.press('Enter');
  }

  /** Types into the field with this name. */
  async type(name: string | RegExp, text: string): Promise<void> {
    await this.to(name);
    await this.page.keyboard.type(text);
  }

  /** Presses keys, one after the other. */
  async keys(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Opens what the search finds first under a text, as a fast typist does who reads no hit. */
  async search(text: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    await this.page.getByRole('combobox').waitFor();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }
}
