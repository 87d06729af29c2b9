/** Returns the address where clients get access tokens, below a base address. */
export function tokenUrlOf(baseUrl: string): string {
  return `${baseUrl}/oauth/token`;
}
