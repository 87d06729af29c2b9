import { Logger, Blocks } from '../../../src/base/log/logger.js';

describe('logger', () => {
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

  it('leaves out secrets at the top and one level below', () => {
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

  it('writes frequent lines like others, without empty fields', () => {
    const write = (logger: Logger): void => logger.line({ message: 'request', status: 200, tenant_id: undefined });
    const [line] = logged('info', write);
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      message: 'request',
      status: 200,
    });
    expect(logged('warn', write)).toEqual([]);
  });

  it('names the process in each line', () => {
    const lines: string[] = [];
    const logger = new Logger('info', { write: (line: string) => void lines.push(line) }, { role: 'all' });
    logger.line({ message: 'request' });
    logger.info('yes');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ role: 'all' }, { role: 'all' }]);
  });
});

describe('stdout blocks', () => {
  class Destination {
    readonly written: string[] = [];
    flushed = 0;
    write(block: string): void {
      this.written.push(block);
    }
    flushSync(): void {
      this.flushed++;
    }
  }

  it('hands lines on when a block is full, in their order and each once', () => {
    const destination = new Destination();
    const blocks = new Blocks(destination);
    const lines = Array.from({ length: 100 }, (_, i) => `${String(i).padStart(399, '.')}\n`);
    for (const line of lines) blocks.write(line);
    expect(destination.written.map((block) => block.length)).toEqual([16_000, 16_000]);
    blocks.pass();
    expect(destination.written.join('')).toBe(lines.join(''));
  });

  it('writes waiting lines when it is flushed, each once', () => {
    const destination = new Destination();
    const blocks = new Blocks(destination);
    blocks.write('one\n');
    blocks.flushSync();
    blocks.flushSync();
    blocks.pass();
    expect(destination).toMatchObject({ written: ['one\n'], flushed: 2 });
  });
});
