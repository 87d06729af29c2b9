import { InvalidClient, InvalidTokenAsk } from '../../../src/directory-sync/clients/clients.errors.js';
import { MalformedRequest, Unavailable } from '../../../src/base/errors/domain-error.js';
import { BodyTooLarge, TooManyRequests, UnsupportedMediaType } from '../../../src/base/http/http.errors.js';
import { oauthError } from '../../../src/operations/surfaces/exception.filter.js';
import { refusalOf } from '../../../src/operations/surfaces/refusal.js';

it.each<[Error, number, string]>([
  [new InvalidTokenAsk('invalid_request', 'x'), 400, 'invalid_request'],
  [new InvalidTokenAsk('unsupported_grant_type', 'x'), 400, 'unsupported_grant_type'],
  [new InvalidClient(), 401, 'invalid_client'],
  [new MalformedRequest('twice', 'repeated_parameter'), 400, 'invalid_request'],
  [new UnsupportedMediaType('a form'), 400, 'invalid_request'],
  [new BodyTooLarge(1), 400, 'invalid_request'],
  [new TooManyRequests('slow', 1), 429, 'temporarily_unavailable'],
  [new Unavailable('away', 1), 503, 'temporarily_unavailable'],
  [new Error('a bug'), 500, 'server_error'],
])('%s', (error, status, code) => {
  const answer = oauthError(refusalOf(error));
  expect([answer.status, answer.body.error, typeof answer.body.error_description]).toEqual([status, code, 'string']);
});
