import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';

type Json = Record<string, unknown>;

/** How a SCIM service of another maker differs. */
export interface ForeignShape {
  /** The `id` of a new record. */
  id?: (n: number) => string;
  /** `meta.location` of a record. */
  location?: (collection: string, id: string) => string;
  /** Answers the whole page in place of a list. */
  list?: (records: Json[], startIndex: number, count: number) => Json;
  /** Documents of the discovery, by path. */
  documents?: Record<string, unknown>;
  /** Answers every request of a method with this. */
  canned?: Record<string, { status: number; text: string }>;
}

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A small SCIM service that is not ours: it keeps records in memory and knows no PATCH but of single attributes. */
export class ForeignPeer {
  readonly records = { Users: new Map<string, Json>(), Groups: new Map<string, Json>() };
  readonly asked: string[] = [];
  private made = 0;
  private readonly server = createServer((req, res) => void this.answer(req, res));

  constructor(private readonly shape: ForeignShape) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/scim`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const url = new URL(req.url!, 'http://peer');
    this.asked.push(`${req.method!} ${req.url!}`);
    const send = (status: number, body?: unknown, headers: Record<string, string> = {}) => {
      res.writeHead(status, { 'content-type': 'application/scim+json', ...headers });
      res.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    };
    const fail = (status: number, scimType?: string, headers = {}) =>
      send(status, { schemas: [ERROR], status: String(status), detail: 'no', scimType }, headers);
    const canned = this.shape.canned?.[req.method!];
    if (canned !== undefined) return send(canned.status, canned.text);
    if (req.headers.authorization !== 'Bearer foreign') return fail(401, undefined, { 'www-authenticate': 'Bearer' });
    const path = url.pathname.replace(/^\/scim/, '');
    const document = this.shape.documents?.[path];
    if (document !== undefined) return send(200, document);
    const [, collection = '', id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (collection === '') return fail(404);
    const records = this.records[collection as 'Users'];
    const known = id === undefined ? undefined : records.get(decodeURIComponent(id));
    const sent = this.bodyOf(Buffer.concat(parts).toString());
    if (req.method === 'POST') {
      if (sent === null || sent['userName'] === '') return fail(400);
      if ([...records.values()].some((one) => isSame(one['userName'], sent['userName'])))
        return fail(409, 'uniqueness');
      const record = this.keep(collection, this.shape.id?.(++this.made) ?? randomUUID(), sent);
      return send(201, record, { location: String((record['meta'] as Json)['location']) });
    }
    if (req.method === 'GET' && id === undefined) {
      const filter = url.searchParams.get('filter');
      const wanted = filter === null ? null : /(\w+) eq "([^"]*)"$/.exec(filter);
      if (filter !== null && wanted === null) return fail(400, 'invalidFilter');
      const found = [...records.values()].filter((one) => wanted === null || isSame(one[wanted[1]!], wanted[2]));
      const start = Number(url.searchParams.get('startIndex') ?? 1);
      return send(200, this.listed(found, start, Number(url.searchParams.get('count') ?? 100)));
    }
    if (known === undefined) return fail(404);
    if (req.method === 'DELETE') {
      records.delete(String(known['id']));
      return send(204);
    }
    if (req.method === 'GET') return send(200, known);
    if (req.method === 'PUT') return send(200, this.keep(collection, String(known['id']), sent ?? {}));
    return fail(400, 'invalidSyntax');
  }

  private listed(found: Json[], startIndex: number, count: number): Json {
    if (this.shape.list !== undefined) return this.shape.list(found, startIndex, count);
    const page = found.slice(startIndex - 1, startIndex - 1 + count);
    return { schemas: [LIST], totalResults: found.length, startIndex, itemsPerPage: page.length, Resources: page };
  }

  private keep(collection: string, id: string, sent: Json): Json {
    const now = new Date().toISOString();
    const own = `${this.url}/${collection}/${encodeURIComponent(id)}`;
    const meta = {
      resourceType: collection.slice(0, -1),
      created: now,
      lastModified: now,
      location: this.shape.location?.(collection, id) ?? own,
    };
    const record = { ...sent, id, meta };
    this.records[collection as 'Users'].set(id, record);
    return record;
  }

  private bodyOf(text: string): Json | null {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return null;
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  return one.toLowerCase() === other.toLowerCase();
}
