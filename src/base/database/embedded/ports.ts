import net from 'node:net';

/** Returns whether a process listens on a port of this machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Returns a free port: the wanted one, if it is free. */
export function freePort(wanted?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      wanted !== undefined && error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    server.listen(wanted ?? 0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
