import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A self-signed certificate, in PEM. */
export async function certificate(until = new Date('2040-01-01'), bits = 2048): Promise<string> {
  const { cert } = await generate([{ name: 'commonName', value: 'idp' }], {
    keySize: bits,
    algorithm: 'sha256',
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate: until,
  });
  return cert;
}

export const base64 = (pem: string): string => pem.replace(/-----[A-Z ]+-----|\s/g, '');

export interface MetadataOptions {
  entityId?: string;
  certificates: string[];
  sso?: string;
  slo?: string;
  validUntil?: string;
  /** Further attributes of the root. */
  attributes?: string;
}

/** The metadata of an IdP. */
export function metadataXml({ entityId = 'https://idp.example.com', certificates, ...more }: MetadataOptions): string {
  const keys = certificates.map(
    (pem) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${base64(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  const binding = 'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"';
  const slo = more.slo === undefined ? '' : `<md:SingleLogoutService ${binding} Location="${more.slo}"/>`;
  const until = more.validUntil === undefined ? '' : ` validUntil="${more.validUntil}"`;
  const attributes = more.attributes === undefined ? '' : ` ${more.attributes}`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"${until}${attributes}>
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}${slo}
<md:SingleSignOnService ${binding} Location="${more.sso ?? 'https://idp.example.com/sso'}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;
}

/** A web server with one page, whose text the test sets. */
export class MetadataServer {
  status = 200;
  body = '';
  headers: Record<string, string> = {};
  hits = 0;
  /** Answers only so long after the question. */
  delayMs = 0;
  private constructor(private readonly server: Server) {}

  static async start(): Promise<MetadataServer> {
    const server = createServer((_request, response) => {
      self.hits++;
      const { status, body, headers, delayMs } = self;
      const answer = (): void => {
        response.writeHead(status, { 'content-type': 'application/samlmetadata+xml', ...headers });
        response.end(body);
      };
      if (delayMs === 0) answer();
      else setTimeout(answer, delayMs);
    });
    const self = new MetadataServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/metadata?tenant=1`;
  }

  say(body: string, status = 200, headers: Record<string, string> = {}): void {
    Object.assign(this, { body, status, headers });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
