import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** What a name answers: TXT records (each of one or more chunks), IPv4 addresses, an alias, an error, or nothing at all. */
export type ZoneEntry =
  { txt: (string | string[])[] } | { a: string[] } | { cname: string } | 'nxdomain' | 'servfail' | 'nodata' | 'silence';

const A = 1;
const TXT = 16;
const CNAME = 5;
const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;

/** A name server on UDP that says what a test tells it to; it follows aliases within itself, as resolvers do. */
export class NameServer {
  readonly zone = new Map<string, ZoneEntry>();
  /** The names that were asked for, in order. */
  readonly asked: string[] = [];
  private constructor(private readonly socket: Socket) {}

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (message, from) => {
      const answer = server.answer(message);
      if (answer !== null) socket.send(answer, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  /** For DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async close(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(query: Buffer): Buffer | null {
    const { name, end } = nameAt(query, 12);
    this.asked.push(name);
    const question = query.subarray(12, end + 4);
    const records: Buffer[] = [];
    let at = name;
    let entry = this.zone.get(at) ?? 'nxdomain';
    while (typeof entry === 'object' && 'cname' in entry) {
      records.push(record(at, CNAME, encodeName(entry.cname)));
      at = entry.cname;
      entry = this.zone.get(at) ?? 'nxdomain';
    }
    if (entry === 'silence') return null;
    const asksA = query.readUInt16BE(end) === A;
    if (typeof entry === 'object' && 'a' in entry && asksA) {
      for (const address of entry.a) records.push(record(at, A, Buffer.from(address.split('.').map(Number))));
    }
    if (typeof entry === 'object' && 'txt' in entry) {
      for (const text of entry.txt) records.push(record(at, TXT, chunks([text].flat())));
    }
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // An answer, recursion wished for and available.
    header.writeUInt16BE(0x8180 | (entry === 'nxdomain' ? NXDOMAIN : entry === 'servfail' ? SERVFAIL : NOERROR), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}

function nameAt(message: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = from;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function chunks(texts: string[]): Buffer {
  return Buffer.concat(texts.map((text) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])));
}
