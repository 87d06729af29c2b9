import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';

/** A receiver of webhooks that verifies each signature and fails some requests, before or after it took the message. */
export class Receiver {
  /** The messages in the order in which they were taken: id, name of the event, record and its sequence. */
  taken = [];
  /** For each id, how often it was taken, and the digest of its body: a repetition has the same bytes. */
  byId = new Map();
  problems = [];
  requests = 0;

  /** @param faults the share of requests that fail */
  constructor(faults) {
    this.faults = faults;
    this.secret = null;
    this.server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (chunk) => chunks.push(chunk));
      req.on('end', () => this.answer(req, Buffer.concat(chunks).toString('utf8'), res));
      req.on('error', () => undefined); // The service was killed while it sent.
    });
  }

  async start() {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}/hook`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  answer(req, body, res) {
    this.requests++;
    const id = req.headers['webhook-id'];
    const time = req.headers['webhook-timestamp'];
    const key = Buffer.from(this.secret.slice('whsec_'.length), 'base64');
    const signature = `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
    if (req.headers['webhook-signature'] !== signature) this.problems.push(`the signature of ${id} is wrong`);
    const fails = Math.random() < this.faults;
    if (!fails || Math.random() < 0.5) this.take(id, JSON.parse(body), body);
    if (fails && Math.random() < 0.3) return void req.socket.destroy();
    res.writeHead(fails ? 500 : 204).end();
  }

  take(id, { event, data }, body) {
    const known = this.byId.get(id);
    if (known !== undefined) {
      known.count++;
      // What is sent after an erasure holds ids alone.
      if (known.body !== body && data.first_name !== undefined) this.problems.push(`${id} came with another body`);
      return;
    }
    this.byId.set(id, { count: 1, body });
    this.taken.push({ id, event, record: data.id, sequence: data.sequence, data });
  }
}
