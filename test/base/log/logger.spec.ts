import { Logger } from '../../../src/base/log/logger.js';

const logged = (level: string, work: (logger: Logger) => void): Record<string, unknown>[] => {
  const lines: string[] = [];
  work(new Logger(level, { write: (line: string) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
};

it('writes one JSON object a line, from its level on', () => {
  const lines = logged('info', (logger) => {
    logger.debug('no');
    logger.info('yes', { request_id: 'req_1' });
    logger.warn('and');
  });
  expect(lines).toMatchObject([
    { level: 'info', message: 'yes', request_id: 'req_1' },
    { level: 'warn', message: 'and' },
  ]);
});

it('keeps secrets out, at the top and one step below', () => {
  const [line] = logged('info', (logger) =>
    logger.info('x', {
      authorization: 'Bearer canary',
      headers: { authorization: 'canary', cookie: 'canary' },
      body: { password: 'canary', scim_token: 'canary' },
    }),
  );
  expect(JSON.stringify(line)).not.toContain('canary');
});

it('writes an error with its stack, its code and its causes', () => {
  const cause = Object.assign(new Error('inner'), { code: '08006' });
  const [line] = logged('error', (logger) => logger.error('failed', { error: new Error('outer', { cause }) }));
  expect(line).toMatchObject({
    error: { message: 'outer', stack: expect.any(String), cause: { message: 'inner', code: '08006' } },
  });
});
