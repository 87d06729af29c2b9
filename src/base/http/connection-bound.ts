import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TooManyRequests } from './http.errors.js';
import type { BridgeRequest } from './request.js';

/** Open connections of a process. Each takes about 15 kB, and 64 KiB more while it sends a body. */
interface ConnectionLimits {
  most: number;
  strangers: number;
  tenant: number;
}

const CONNECTION_LIMITS: ConnectionLimits = { most: 2_000, strangers: 200, tenant: 500 };

const boundOf = new WeakMap<Socket, ConnectionBound>();

/**
 * Notes that a request came with a valid credential, session or sign-in. Its connection counts for the tenant from then on, and
 * requests without one do not slow down background work.
 *
 * @throws {TooManyRequests} when all connections of the tenant are at work
 */
export function proveCaller(req: BridgeRequest): void {
  req.proven = true;
  boundOf.get(req.socket)?.prove(req.socket, req.tenantId ?? '');
}

/**
 * Bounds the open connections of a server. A new connection takes the place of an idle one: of another stranger, or of the
 * tenant that has the most. So a flood of silent connections displaces itself, and a tenant its own.
 */
export function boundConnections(server: Server, limits: ConnectionLimits = CONNECTION_LIMITS): void {
  const bound = new ConnectionBound(limits);
  server.on('connection', (socket: Socket) => bound.open(socket));
  // The application, which is a listener too, may prove the caller in the same turn.
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => bound.begin(req.socket, res));
}

class Group {
  /** In the order in which they became idle. */
  readonly idle = new Set<Socket>();
  /** With a request that is not answered yet. */
  readonly busy = new Set<Socket>();

  constructor(readonly tenantId: string | null) {}

  get size(): number {
    return this.idle.size + this.busy.size;
  }
}

class ConnectionBound {
  private readonly strangers = new Group(null);
  private readonly tenants = new Map<string, Group>();
  private readonly groupOf = new Map<Socket, Group>();

  constructor(private readonly limits: ConnectionLimits) {}

  open(socket: Socket): void {
    const isFull = this.groupOf.size >= this.limits.most && !this.closeIdleOfLargest();
    if (isFull || this.strangers.size >= this.limits.strangers) this.closeStranger();
    if (this.groupOf.size >= this.limits.most) return void socket.destroy();
    boundOf.set(socket, this);
    this.groupOf.set(socket, this.strangers);
    this.strangers.idle.add(socket);
    socket.once('close', () => this.leave(socket));
  }

  begin(socket: Socket, res: ServerResponse): void {
    const group = this.groupOf.get(socket);
    if (group === undefined) return;
    group.idle.delete(socket);
    group.busy.add(socket);
    res.once('close', () => {
      const now = this.groupOf.get(socket);
      if (now?.busy.delete(socket) === true) now.idle.add(socket);
    });
  }

  prove(socket: Socket, tenantId: string): void {
    const before = this.groupOf.get(socket);
    if (before === undefined || before.tenantId === tenantId) return;
    const group = this.tenants.get(tenantId) ?? new Group(tenantId);
    if (group.size >= this.limits.tenant && !this.closeFirst(group.idle)) {
      throw new TooManyRequests('All connections that your organization may open are at work.', 1);
    }
    this.leave(socket);
    this.tenants.set(tenantId, group);
    this.groupOf.set(socket, group);
    group.busy.add(socket);
  }

  private closeIdleOfLargest(): boolean {
    const bySize = [...this.tenants.values()].sort((a, b) => b.size - a.size);
    return bySize.some(({ idle }) => this.closeFirst(idle));
  }

  private closeStranger(): void {
    if (!this.closeFirst(this.strangers.idle)) this.closeFirst(this.strangers.busy);
  }

  private closeFirst(sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      this.leave(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  private leave(socket: Socket): void {
    const group = this.groupOf.get(socket);
    if (group === undefined) return;
    this.groupOf.delete(socket);
    group.idle.delete(socket);
    group.busy.delete(socket);
    if (group.size === 0 && group.tenantId !== null) this.tenants.delete(group.tenantId);
  }
}
