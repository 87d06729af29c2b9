import { unknownVariables } from '../../../src/base/config/unknown-variables.rules.js';

const KNOWN = ['PORT', 'ROLE', 'LOG_LEVEL', 'BASE_URL', 'API_BASE_URL', 'SESSION_IDLE', 'RETENTION_LOGS', 'SANDBOX_PORT', 'DATABASE_URL', 'ALLOW_PRIVATE_DESTINATIONS', 'NODE_ENV']; // prettier-ignore

it.each([
  ['ALLOW_PRIVATE_DESTINATION', 'ALLOW_PRIVATE_DESTINATIONS'],
  ['SESSION_IDEL', 'SESSION_IDLE'],
  ['RETENTION_LOG_DAYS', 'RETENTION_LOGS'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['LOG_LEVLE', 'LOG_LEVEL'],
  ['API_BASE_URI', 'API_BASE_URL'],
])('names %s, and %s as the nearest', (variable, nearest) => {
  expect(unknownVariables({ PATH: '/bin', [variable]: 'x' }, KNOWN)).toEqual([{ variable, nearest }]);
});

it.each([
  ['a known setting', { SESSION_IDLE: '60m', PORT: '3000' }],
  ['variables of the system and of other programs', { PATH: '/bin', HOME: '/', LANG: 'C', npm_config_cache: '/x', CI: 'true' }],
  ['other variables with a first part that many programs use', { NODE_OPTIONS: '', API_KEY: 'k', LOG_FORMAT: 'json', BASE_DIR: '/', APP_ENV: 'x' }],
  ['the session of a desktop', { SESSION_MANAGER: 'local/x' }],
  ['addresses that Kubernetes sets', { DATABASE_SERVICE_HOST: '10.0.0.1', DATABASE_SERVICE_PORT: '5432', DATABASE_PORT: 'tcp://10.0.0.1:5432', DATABASE_PORT_5432_TCP_ADDR: '10.0.0.1' }],
])('accepts %s', (_, env) => {
  expect(unknownVariables(env, KNOWN)).toEqual([]);
}); // prettier-ignore
