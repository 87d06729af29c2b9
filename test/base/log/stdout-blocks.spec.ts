import { Blocks } from '../../../src/base/log/stdout-blocks.js';

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
