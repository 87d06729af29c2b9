const EXPIRES_DAYS = 180;

/** Returns where a weakness is reported (RFC 9116). */
export function securityText(baseUrl: string, now: Date): string {
  const expires = new Date(now.getTime() + EXPIRES_DAYS * 24 * 3_600_000).toISOString().slice(0, 10);
  const lines = [
    `Contact: ${baseUrl}/docs/why/security#report-a-weakness`,
    `Expires: ${expires}T00:00:00Z`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}/docs/why/security#report-a-weakness`,
  ];
  return `${lines.join('\n')}\n`;
}
