import { readFileSync } from 'node:fs';

interface Locked {
  version?: string;
  dev?: boolean;
  devOptional?: boolean;
}

/** The oldest versions of what reads strangers' XML and tokens that are not known to be broken, and why. */
const FLOORS: Record<string, [floor: string, why: string]> = {
  '@node-saml/node-saml': ['5.1.0', 'CVE-2025-54369, CVE-2025-54419'],
  'xml-crypto': ['6.0.1', 'CVE-2025-29774, CVE-2025-29775'],
  '@xmldom/xmldom': ['0.8.13', 'CVE-2026-34601, -41672, -41673, -41674, -41675'],
  jose: ['6.0.0', 'the line that gets fixes'],
  'openid-client': ['6.8.0', 'client assertions with the issuer as the audience (CVE-2025-27370)'],
};

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

it.each(Object.entries(FLOORS))('%s is not older than the safe version', (name, [floor]) => {
  const used = Object.entries(packages).filter(
    ([path, one]) => path.endsWith(`node_modules/${name}`) && !one.dev && !one.devOptional,
  );
  expect(used.length).toBeGreaterThan(0);
  for (const [path, { version }] of used) expect([path, isAtLeast(version!, floor)]).toEqual([path, true]);
});

it('compares versions', () => {
  expect(['0.8.12', '0.8.13', '0.9.0', '6.0.0', '10.0.0'].map((one) => isAtLeast(one, '0.8.13'))).toEqual([false, true, true, true, true]); // prettier-ignore
});

function isAtLeast(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! > b[i]!;
  return true;
}
