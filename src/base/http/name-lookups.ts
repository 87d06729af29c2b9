import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';

const FILE =
  process.platform === 'win32'
    ? path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';
const MAX_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 1_000;

/** The names of the hosts file, which name servers do not know. It is checked for changes once a second at most. */
export class HostsFile {
  private names: ReadonlyMap<string, readonly LookupAddress[]> = new Map();
  private lookedAt = -Infinity;
  private state = '';

  constructor(
    private readonly file = FILE,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  /** @param name in lower case, without a dot at the end */
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

/** Parses a hosts file (hosts(5)): an address and its names on each line, `#` begins a comment. */
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

/** Returns the domains that complete a short name: the last `search` line of resolv.conf(5). */
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

/** The time limit of a look-up with all its repetitions; less than connecting may take. */
const DEADLINE_MS = 4_000;
const TIMING = { timeout: 1_500, tries: 2 };
/** The time limit for the other family of addresses, once one family is known. */
const OTHER_FAMILY_MS = 250;
/** Look-ups of a tenant at the same time, and of all tenants together. */
export const SHARE_OF_TENANT = 8;
const ALL = 256;

/** The code is one of c-ares, or `ETOOMANY` where the share is used up. */
export class LookupFailed extends Error {
  constructor(
    readonly code: string,
    readonly hostname: string,
  ) {
    super(`the name cannot be looked up (${code})`);
  }
}

/** The tenant of a look-up; null for a name of the operator, which the system's name servers resolve. */
export type LookupOwner = string | null;

/**
 * Looks names up with c-ares. The look-up of the operating system runs on the four threads of libuv and cannot be cancelled: a
 * few names with a silent server would block every look-up of the process, file access included. Here each look-up has a
 * deadline, equal look-ups share one query, and a tenant has a share.
 */
export class NameLookups {
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();
  private readonly shares = new Map<string, number>();

  /** @param servers for names of tenants, as `address` or `address:port`; empty for those of the system */
  constructor(
    private readonly servers: readonly string[] = [],
    private readonly hosts = new HostsFile(),
    private readonly timing = { ...TIMING, deadlineMs: DEADLINE_MS },
  ) {}

  /**
   * Returns the addresses of a name, IPv4 first. Names of the hosts file and `localhost` (RFC 6761 §6.3) need no query.
   *
   * @throws {LookupFailed} when no name server knows the name or answers in time, or the share is used up
   */
  async lookup(hostname: string, owner: LookupOwner): Promise<LookupAddress[]> {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const fixed = this.hosts.addressesOf(name);
    if (fixed.length > 0) return [...fixed];
    if (name === 'localhost' || name.endsWith('.localhost')) return [...LOOPBACK];
    const key = `${owner === null ? 'own' : 'theirs'} ${name}`;
    let look = this.underWay.get(key);
    if (look === undefined) {
      this.takeShare(name, owner ?? '');
      look = this.askAll(name, owner).finally(() => {
        this.underWay.delete(key);
        this.giveBack(owner ?? '');
      });
      this.underWay.set(key, look);
    }
    return look;
  }

  private takeShare(name: string, owner: string): void {
    const taken = this.shares.get(owner) ?? 0;
    // The few names of the operator do not depend on the shares of tenants.
    const full = owner !== '' && (taken >= SHARE_OF_TENANT || this.underWay.size >= ALL);
    if (full) throw new LookupFailed('ETOOMANY', name);
    this.shares.set(owner, taken + 1);
  }

  private giveBack(owner: string): void {
    const left = (this.shares.get(owner) ?? 1) - 1;
    if (left > 0) this.shares.set(owner, left);
    else this.shares.delete(owner);
  }

  /** Completes short names of the operator (`platform.default`) like the system does. */
  private async askAll(name: string, owner: LookupOwner): Promise<LookupAddress[]> {
    try {
      return await this.ask(name, owner);
    } catch (error) {
      const absent = error instanceof LookupFailed && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
      if (!absent || owner !== null) throw error;
      for (const domain of searchDomains()) {
        const found = await this.ask(`${name}.${domain}`, owner).catch(() => null);
        if (found !== null) return found;
      }
      throw error;
    }
  }

  private async ask(name: string, owner: LookupOwner): Promise<LookupAddress[]> {
    // A resolver for each look-up: cancelling ends the queries of one look-up and no others.
    const resolver = new Resolver(this.timing);
    if (owner !== null && this.servers.length > 0) resolver.setServers(this.servers);
    const deadline = setTimeout(() => resolver.cancel(), this.timing.deadlineMs);
    let soon: NodeJS.Timeout | undefined;
    const hurry = (): void => {
      soon ??= setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS);
    };
    try {
      const [four, six] = await Promise.allSettled([
        resolver.resolve4(name).then((found) => (hurry(), found)),
        resolver.resolve6(name).then((found) => (hurry(), found)),
      ]);
      const found = [...addressesIn(four, 4), ...addressesIn(six, 6)];
      if (found.length > 0) return found;
      throw new LookupFailed(codeOf(four) ?? codeOf(six) ?? 'ENODATA', name);
    } finally {
      clearTimeout(deadline);
      clearTimeout(soon);
    }
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function addressesIn(answer: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** "No address of this family" is less important than an outage of the other family. */
function codeOf(answer: PromiseSettledResult<string[]>): string | null {
  if (answer.status === 'fulfilled') return null;
  const { code } = answer.reason as { code?: unknown };
  return typeof code === 'string' && code !== 'ENODATA' ? code : null;
}
