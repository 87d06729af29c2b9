import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { acceptsGzip } from './answer.js';

/** Caches may repeat the text for this long without asking; afterwards they ask with the entity tag. */
const MAX_AGE_SECONDS = 300;

/**
 * A text that is the same for every caller. Its bytes, their compressed form and the entity tag are made once, so that a
 * request of a stranger costs no more than a refusal.
 */
export class PublicText {
  private readonly plain: Buffer;
  private readonly compressed: Buffer;
  private readonly tag: string;

  constructor(
    text: string,
    private readonly contentType: string,
  ) {
    this.plain = Buffer.from(text);
    this.compressed = gzipSync(this.plain);
    // A weak tag: it is valid for both forms (RFC 9110 §8.8.1).
    this.tag = `W/"${hash('sha256', this.plain, 'base64url')}"`;
  }

  /** Answers a GET or HEAD: 200, compressed where the client accepts gzip, or 304 when the client has the text already. */
  send(req: Request, res: Response): void {
    res.setHeader('ETag', this.tag);
    res.setHeader('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    res.setHeader('Vary', 'Accept-Encoding');
    if (req.fresh) {
      res.writeHead(304).end();
      return;
    }
    const isCompressed = acceptsGzip(req.headers['accept-encoding']);
    const body = isCompressed ? this.compressed : this.plain;
    if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
    res.writeHead(200, { 'Content-Type': this.contentType, 'Content-Length': body.length }).end(body);
  }
}
