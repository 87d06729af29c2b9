import type { BridgeResponse } from '../../../base/http/request.js';
import { sendPage } from '../pages/layout.js';
import { handoverPage } from '../pages/pages.js';
import type { TenantFace } from '../pages/tenant-faces.js';
import type { NextStep } from '../requests/sign-in-start.js';

/**
 * Sends the browser to the IdP.
 *
 * @param status 303 after a form, so that no browser sends the form on (RFC 9700 §4.12)
 */
export function follow(
  res: BridgeResponse,
  { step, cookies }: NextStep,
  status: 302 | 303 = 302,
  face: TenantFace | null = null,
): void {
  res.setHeader('Set-Cookie', cookies);
  if (step.kind === 'redirect') res.redirect(status, step.url);
  else sendPage(res, handoverPage(step), face);
}
