import { readFileSync, statSync } from 'node:fs';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import path from 'node:path';

const FILE =
  process.platform === 'win32'
    ? path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';
const MAX_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 1_000;

/**
 * The names of the hosts file, which name servers do not know. A changed file is read again; it is checked once a
 * second at most.
 */
export class HostsFile {
  private names: ReadonlyMap<string, readonly LookupAddress[]> = new Map();
  private lookedAt = -Infinity;
  private state = '';

  constructor(
    private readonly file = FILE,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  /**
   * Returns the addresses of a name, or none.
   *
   * @param name in lower case, without a dot at the end
   */
  addressesOf(name: string): readonly LookupAddress[] {
    const now = performance.now();
    if (now - this.lookedAt >= this.lookEveryMs) {
      this.lookedAt = now;
      this.refresh();
    }
    return this.names.get(name) ?? [];
  }

  private refresh(): void {
    const found = statSync(this.file, { throwIfNoEntry: false });
    const state = found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`;
    if (state === this.state) return;
    this.state = state;
    const small = found !== undefined && found.isFile() && found.size <= MAX_BYTES;
    this.names = small ? hostsIn(readFileSync(this.file, 'utf8')) : new Map();
  }
}

/** Parses a hosts file: an address and its names on each line, `#` begins a comment (hosts(5)). */
export function hostsIn(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...own] = line.split('#', 1)[0]!.trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of own) {
      const key = name.toLowerCase();
      const known = names.get(key);
      if (known === undefined) names.set(key, [{ address, family }]);
      else known.push({ address, family });
    }
  }
  return names;
}

/**
 * Returns the domains that complete a short name: the last `search` line of resolv.conf(5); none without such a file.
 */
export function searchDomains(file = '/etc/resolv.conf'): string[] {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const last = lines.filter((line) => /^(?:search|domain)\s/.test(line)).at(-1);
  return (
    last
      ?.trim()
      .split(/\s+/)
      .slice(1, 7)
      .map((domain) => domain.replace(/\.$/, '')) ?? []
  );
}
