import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  HostsFile,
  hostsIn,
  searchDomains,
  LookupFailed,
  NameLookups,
  SHARE_OF_TENANT,
} from '../../../src/base/http/name-lookups.js';
import { long } from '../../support/rounds.js';

const NO_HOSTS = new HostsFile('/nowhere/hosts');
const TIMING = { timeout: 300, tries: 1, deadlineMs: 600 };

/** A name server of our own: answers each question with 192.0.2.1 after `answers` allows it, or stays silent. */
class NameServer {
  readonly asked: string[] = [];
  private constructor(
    private readonly socket: Socket,
    private readonly silent: boolean,
  ) {
    socket.on('message', (message, from) => {
      this.asked.push(nameOf(message));
      if (!this.silent) socket.send(answerTo(message), from.port, from.address);
    });
  }
  static async start(silent: boolean): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, silent);
  }
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }
  stop(): void {
    this.socket.close();
  }
}

function nameOf(message: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; message[at] !== 0; at += message[at]! + 1) {
    labels.push(message.subarray(at + 1, at + 1 + message[at]!).toString());
  }
  return labels.join('.');
}

/** RFC 1035 §4: one A record for a question of type A, none for the others. */
function answerTo(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(isA ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  return isA ? Buffer.concat([head, Buffer.from('c00c000100010000003c0004c0000201', 'hex')]) : head;
}

const failure = (look: Promise<unknown>): Promise<string> =>
  look.then(
    () => 'found',
    (error: unknown) => (error as LookupFailed).code,
  );

describe('NameLookups', () => {
  let server: NameServer;
  let silent: NameServer;
  beforeEach(async () => {
    server = await NameServer.start(false);
    silent = await NameServer.start(true);
  });
  afterEach(() => {
    server.stop();
    silent.stop();
  });

  it('asks the name servers of the settings for the names of tenants', async () => {
    const names = new NameLookups([server.address], NO_HOSTS, TIMING);
    expect(await names.lookup('Platform.example.', 'ten_a')).toEqual([{ address: '192.0.2.1', family: 4 }]);
    expect(server.asked).toContain('platform.example');
  });

  long('ends at its deadline while a name server is silent, and blocks no thread', async () => {
    const names = new NameLookups([silent.address], NO_HOSTS, TIMING);
    const looks = Array.from({ length: SHARE_OF_TENANT }, (_, i) => failure(names.lookup(`n${i}.example`, 'ten_a')));
    // File access runs on the threads of libuv, of which there are four.
    await stat('.');
    for (const code of await Promise.all(looks)) expect(code).toMatch(/^(ETIMEOUT|ECANCELLED)$/);
  });

  it('asks once for a name however many calls want it', async () => {
    const names = new NameLookups([server.address], NO_HOSTS, TIMING);
    await Promise.all(Array.from({ length: 40 }, (_, i) => names.lookup('one.example', `ten_${i}`)));
    expect(server.asked.filter((name) => name === 'one.example').length).toBeLessThanOrEqual(2);
  });

  long('refuses a tenant more look-ups than its share, and no other tenant', async () => {
    const names = new NameLookups([silent.address], NO_HOSTS, TIMING);
    const looks = Array.from({ length: 40 }, (_, i) => failure(names.lookup(`n${i}.example`, 'ten_a')));
    const other = failure(names.lookup('other.example', 'ten_b'));
    const codes = await Promise.all(looks);
    expect(codes.filter((code) => code === 'ETOOMANY')).toHaveLength(40 - SHARE_OF_TENANT);
    expect(await other).not.toBe('ETOOMANY');
    expect(await failure(names.lookup('later.example', 'ten_a'))).not.toBe('ETOOMANY');
  });

  it('answers localhost and the names of the hosts file without a query', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'hosts-'));
    const file = path.join(folder, 'hosts');
    writeFileSync(file, '192.0.2.7 intern.example other # comment\n2001:db8::7\tINTERN.example\nnonsense x\n');
    const names = new NameLookups([silent.address], new HostsFile(file), TIMING);
    expect(await names.lookup('intern.EXAMPLE', 'ten_a')).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '2001:db8::7', family: 6 },
    ]);
    expect((await names.lookup('localhost', null))[0]).toEqual({ address: '127.0.0.1', family: 4 });
    expect(silent.asked).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('HostsFile', () => {
  it('is read again when it has changed', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'hosts-'));
    const file = path.join(folder, 'hosts');
    writeFileSync(file, '192.0.2.7 a.example\n');
    const hosts = new HostsFile(file, 0);
    expect(hosts.addressesOf('a.example')).toHaveLength(1);
    writeFileSync(file, '192.0.2.8 b.example\n');
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, new Date(mtime.getTime() + 5_000));
    expect(hosts.addressesOf('a.example')).toEqual([]);
    expect(hosts.addressesOf('b.example')).toEqual([{ address: '192.0.2.8', family: 4 }]);
    rmSync(folder, { recursive: true });
  });

  it('has addresses and their names', () => {
    expect([...hostsIn('127.0.0.1 a b\n::1 a\n#1.2.3.4 c\n999.1.1.1 d\n').keys()]).toEqual(['a', 'b']);
  });
});

it('completes short names by the last search line of resolv.conf', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'resolv-'));
  const file = path.join(folder, 'resolv.conf');
  writeFileSync(
    file,
    'domain old.example\nnameserver 192.0.2.1\nsearch default.svc.cluster.local svc.cluster.local.\n',
  );
  expect(searchDomains(file)).toEqual(['default.svc.cluster.local', 'svc.cluster.local']);
  expect(searchDomains(path.join(folder, 'none'))).toEqual([]);
  rmSync(folder, { recursive: true });
});
