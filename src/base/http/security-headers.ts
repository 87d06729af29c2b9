import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The setting of the application by which forms of pages may lead to plain http on a loopback address. */
export const LOOPBACK_FORMS = 'loopback forms';

/**
 * Returns the headers of every answer. Answers of the API are data: they may not be framed, run, cached or sniffed.
 * HSTS only where the public address is https.
 */
export function securityHeaders(baseUrl: string): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ];
  if (baseUrl.startsWith('https:')) headers.push(['Strict-Transport-Security', 'max-age=31536000; includeSubDomains']);
  return headers;
}

/**
 * Returns a middleware with the policy of HTML pages: own scripts and pictures, and the style attributes that they
 * need.
 */
export function pageHeaders(baseUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: baseUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    referrerPolicy: { policy: 'no-referrer' },
  }) as RequestHandler;
}
