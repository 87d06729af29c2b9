const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for the content and for quoted attributes of a page. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** A piece of a page whose content is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[];

/** Returns a piece of a page from a template. Escapes all values that are no pieces themselves. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0]!;
  parts.forEach((part, i) => {
    text += textOf(part) + strings[i + 1]!;
  });
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return part instanceof Html ? part.text : part.map(textOf).join('');
}
