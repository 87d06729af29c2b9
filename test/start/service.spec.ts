import { ConfigError } from '../../src/base/config/config.js';
import { PlainFailure } from '../../src/base/errors/domain-error.js';
import { startFailure } from '../../src/start/service.js';

const failure = (fields: object) => Object.assign(new Error('as the system says it'), fields);

it.each<[string, unknown, RegExp]>([
  ['a taken port', failure({ code: 'EADDRINUSE', port: 3000 }), /port 3000 is taken .* set PORT/],
  ['a port of the system', failure({ code: 'EACCES', syscall: 'listen', port: 80 }), /port 80 .* set PORT/],
  ['no database', failure({ code: 'ECONNREFUSED' }), /nothing answers .* DATABASE_URL \(ECONNREFUSED\)/],
  ['an unknown host', failure({ code: 'ENOTFOUND' }), /host of DATABASE_URL is not known/],
  ['no such database', failure({ code: '3D000' }), /does not exist/],
  [
    'a wrong address of the owner',
    failure({ code: '28P01', setting: 'MIGRATION_DATABASE_URL' }),
    /MIGRATION_DATABASE_URL \(28P01\)/,
  ],
  [
    'a data folder below a file',
    failure({ code: 'ENOTDIR', syscall: 'mkdir', path: '/f/x' }),
    /\/f\/x .* set DATA_DIR/,
  ],
  ['an explained one', new PlainFailure('PostgreSQL 15 or later is needed.'), /PostgreSQL 15/],
  ['wrong settings', new ConfigError([{ variable: 'PORT', rule: 'must be right' }]), /PORT must be right/],
])('%s is described in words, without a stack', (_, error, words) => {
  expect(startFailure(error)).toMatch(words);
  expect(startFailure(error)).not.toMatch(/\n +at /);
});

it('an unexpected error keeps its stack, for the search of its cause', () => {
  expect(startFailure(new TypeError('x is not a function'))).toMatch(/x is not a function\n +at /);
  expect(startFailure('only a text')).toMatch(/only a text/);
});
