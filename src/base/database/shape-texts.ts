/** The text of the statements of one shape, and what follows from it. */
export interface StatementShape {
  readonly text: string;
  /** Which parameters of the text all statements share. */
  readonly layout: string;
  /** A short name, which no other shape of this process ever has. */
  readonly name: string;
  /** The text for many of them; undefined: it was not needed yet. */
  together?: string;
}

/** Callers shape texts, too. There are some twenty that are frequent. */
const MOST_SHAPES = 64;

/**
 * Finds the shape of a text. A map of texts would read each text of some 8 KiB character by character to find its place;
 * texts of one length are compared as bytes.
 */
export class ShapeTexts {
  private readonly byLength = new Map<number, StatementShape[]>();
  private size = 0;
  private made = 0;

  /** Returns the shape of a text and a layout, which is made when they come for the first time. */
  of(text: string, layout: string): StatementShape {
    const same = this.byLength.get(text.length);
    const known = same?.find((shape) => shape.text === text && shape.layout === layout);
    if (known !== undefined) return known;
    if (this.size >= MOST_SHAPES) this.clear();
    const shape: StatementShape = { text, layout, name: String(++this.made) };
    const others = this.byLength.get(text.length);
    if (others === undefined) this.byLength.set(text.length, [shape]);
    else others.push(shape);
    this.size++;
    return shape;
  }

  private clear(): void {
    this.byLength.clear();
    this.size = 0;
  }
}
