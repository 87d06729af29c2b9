/** What is shown in place of a secret. */
const REMOVED = '(removed)';

/** The secrets of a run: each text that is printed or written into the evidence passes through {@link Secrets.without}. */
export class Secrets {
  private readonly known = new Set<string>();

  /** Adds a secret in the forms that it has in requests: plain, in JSON, in a form body, and in base64. */
  add(secret: string): void {
    if (secret === '') return;
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
    for (const form of [...forms, new URLSearchParams([['', secret]]).toString().slice(1)]) this.known.add(form);
    this.known.add(Buffer.from(secret).toString('base64'));
  }

  /** Returns a text without the secrets. */
  without(text: string): string {
    // The longest first: one secret can be the beginning of another one.
    const longestFirst = [...this.known].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
  }
}
