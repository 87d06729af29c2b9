import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A platform that takes everybody who comes and, told to, refuses to let anybody go. */
export class StubbornPlatform {
  stubborn = true;
  private made = 0;
  private readonly server = http.createServer((req, res) => {
    req.resume().on('end', () => {
      const [status, body] =
        req.method === 'POST'
          ? [201, { id: `p_${++this.made}` }]
          : this.stubborn
            ? [422, { detail: '=unknown leaves' }]
            : [200, { id: 'p' }];
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
