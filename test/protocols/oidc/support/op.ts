import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createHash } from 'node:crypto';
import { CompactSign, exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';

/** A key of the OP: what signs, and what the key set says about it. */
export interface OpKey {
  privateKey: CryptoKey;
  jwk: JWK;
  alg: string;
}

export async function newOpKey(alg = 'RS256', kid = 'key-1'): Promise<OpKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, alg };
}

/** What an endpoint answers. `hang`: nothing, for ever. */
export type Canned =
  | { status?: number; type?: string; body?: string; headers?: Record<string, string> }
  | { hang: true }
  | { bytes: number };

type Path = '/.well-known/openid-configuration' | '/jwks' | '/token' | '/userinfo';

/** Everything about the next answers that a test may change; `reset` makes all of it honest again. */
export interface Tampering {
  discovery: Record<string, unknown>;
  header: Record<string, unknown>;
  /** undefined as a value leaves the claim out. */
  claims: Record<string, unknown>;
  /** Makes the ID token itself out of the honest header and claims. */
  idToken: ((header: Record<string, unknown>, claims: Record<string, unknown>) => Promise<string> | string) | null;
  token: Record<string, unknown>;
  keys: JWK[] | null;
  userInfo: Record<string, unknown>;
  canned: Partial<Record<Path, Canned>>;
}

/** An OpenID provider whose answers a test sets. There is no login: the test sets `code`. */
export class HostileOp {
  hits: Record<string, number> = {};
  /** The forms and headers that the token endpoint was given. */
  exchanges: { form: URLSearchParams; authorization: string | undefined }[] = [];
  signing!: OpKey;
  tamper!: Tampering;
  nonce = '';
  private readonly server: http.Server;
  private readonly sockets = new Set<Socket>();
  private waiting: { path: string; resolve: () => void }[] = [];

  constructor(private readonly now: () => Date) {
    this.server = http.createServer((req, res) => void this.answer(req, res));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.reset();
  }

  async start(): Promise<this> {
    this.signing = await newOpKey();
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.tamper = {
      discovery: {},
      header: {},
      claims: {},
      idToken: null,
      token: {},
      keys: null,
      userInfo: {},
      canned: {},
    };
    this.hits = {};
    this.exchanges = [];
  }

  /** How often an address was asked. */
  count(path: Path): number {
    return this.hits[path] ?? 0;
  }

  /** Resolves when the address is asked the next time. */
  asked(path: Path): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ path, resolve }));
  }

  /** What an honest ID token says. */
  honestClaims(): Record<string, unknown> {
    const now = Math.floor(this.now().getTime() / 1000);
    return {
      iss: this.issuer,
      aud: 'client-1',
      sub: 'sub-1',
      nonce: this.nonce,
      iat: now,
      exp: now + 300,
      auth_time: now,
      email: 'ada@example.com',
      sid: 'sid-1',
    };
  }

  /** A token as the OP would sign it. */
  async sign(
    claims: Record<string, unknown>,
    header: Record<string, unknown> = {},
    key = this.signing,
  ): Promise<string> {
    const full: Record<string, unknown> = { alg: key.alg, kid: key.jwk.kid, ...header };
    const crit = full['crit'] === undefined ? {} : { crit: { 'x-made-up': true } };
    return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader(defined(full) as { alg: string })
      .sign(key.privateKey, crit);
  }

  private async answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const path = new URL(req.url!, this.issuer).pathname as Path;
    this.hits[path] = (this.hits[path] ?? 0) + 1;
    const body = await text(req);
    this.waiting = this.waiting.filter((one) => (one.path === path ? (one.resolve(), false) : true));
    if (path === '/token') {
      this.exchanges.push({ form: new URLSearchParams(body), authorization: req.headers.authorization });
    }
    const canned = this.tamper.canned[path];
    if (canned !== undefined) return send(res, canned);
    const json = await this.honest(path);
    if (json === null) return send(res, { status: 404 });
    send(res, { type: 'application/json', body: JSON.stringify(json) });
  }

  private async honest(path: Path): Promise<unknown> {
    const { tamper, issuer } = this;
    if (path === '/jwks') return { keys: tamper.keys ?? [this.signing.jwk] };
    if (path === '/userinfo') return defined({ sub: 'sub-1', given_name: 'Ada', ...tamper.userInfo });
    if (path === '/token') return this.tokens();
    if (path !== '/.well-known/openid-configuration') return null;
    return defined({
      issuer,
      authorization_endpoint: `${issuer}/authorize?tier=gold`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/logout`,
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256', 'none'],
      ...tamper.discovery,
    });
  }

  private async tokens(): Promise<unknown> {
    const accessToken = 'access-1';
    const atHash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
    const claims = defined({ ...this.honestClaims(), at_hash: atHash, ...this.tamper.claims });
    const header = defined({ alg: this.signing.alg, kid: this.signing.jwk.kid, ...this.tamper.header });
    const idToken = await (this.tamper.idToken?.(header, claims) ?? this.sign(claims, header));
    return defined({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken,
      ...this.tamper.token,
    });
  }
}

export function hostileOp(now: () => Date): Promise<HostileOp> {
  return new HostileOp(now).start();
}

function send(res: http.ServerResponse, canned: Canned): void {
  if ('hang' in canned) return;
  if ('bytes' in canned) return flood(res, canned.bytes);
  res.writeHead(canned.status ?? 200, { 'content-type': canned.type ?? 'application/json', ...canned.headers });
  res.end(canned.body ?? '');
}

/** `count` spaces before a brace, as fast as the other side reads. */
function flood(res: http.ServerResponse, bytes: number): void {
  const block = Buffer.alloc(64 * 1024, ' ');
  res.writeHead(200, { 'content-type': 'application/json' });
  res.on('error', () => res.destroy());
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !res.destroyed) {
      left -= block.length;
      if (!res.write(block)) return void res.once('drain', more);
    }
    res.end('{}');
  };
  more();
}

async function text(req: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function defined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
