import { urlOf } from '../../base/url.js';

const HELP_MAX = 2_048;

/** Returns the problem of a tenant's help link, or null. */
export function helpUrlProblem(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= HELP_MAX ? urlOf(value) : null;
  if (url === null || !/^(https|mailto):$/.test(url.protocol)) {
    return `must be an https or mailto address of at most ${HELP_MAX} characters, such as mailto:it@acme.example`;
  }
  if (url.protocol === 'mailto:')
    return /^[^@\s]+@[^@\s]+$/.test(url.pathname) ? null : 'must name an e-mail after mailto:';
  return url.username + url.password === '' ? null : 'must not contain a user name or password';
}

/** The field, as the description of the API shows it. */
export const HELP_URL = {
  type: String,
  format: 'uri',
  example: 'mailto:it@acme.example',
  description:
    'Where users get help with signing in, https or mailto; a link on the pages of the sign-in. null: no link.',
};
