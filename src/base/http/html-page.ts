/** The part of a text that is looked at: a page declares itself at its beginning. */
const BEGINNING = 1_024;

/** Whether a text that should be something else is an HTML page: a login page, an error page, or a page with a link. */
export function isHtmlPage(text: string): boolean {
  return /<!doctype\s+html|<html[\s>]/i.test(text.slice(0, BEGINNING));
}
