/** Returns the address where clients get access tokens, below a base address. */
export function tokenAddressOf(baseUrl: string): string {
  return `${baseUrl}/oauth/token`;
}
