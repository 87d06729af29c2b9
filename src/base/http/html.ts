const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as text inside a page, whoever wrote it; good in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);
}

/** A piece of a page: what is in it has been escaped already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Part[];

/** A piece of a page from a template. Whatever is put into it is escaped, unless it is a piece itself. */
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
