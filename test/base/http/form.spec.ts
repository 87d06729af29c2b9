import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readForm, AnonymousBodies } from '../../../src/base/http/form.js';

describe('form', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((req, res) => {
      readForm(req, 1_024, ['a', 'b']).then(
        (form) => res.end(JSON.stringify(Object.fromEntries(form))),
        (error: { code: string }) => res.end(error.code),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each([
    ['the named fields', 'a=1&b=2', '{"a":"1","b":"2"}'],
    ['no field without a value', 'a=&b=2', '{"b":"2"}'],
    ['a field once beside itself without a value', 'a=&a=1&a=', '{"a":"1"}'],
    ['no unknown field, however often it comes', 'x=1&a=1&x=2&__proto__=1&__proto__=2', '{"a":"1"}'],
    ['nothing of a field that comes twice', 'a=1&b=2&a=1', 'repeated_parameter'],
    ['nothing of 65 fields', 'x=1&'.repeat(64) + 'a=1', 'malformed_request'],
  ])('reads %s', async (_what, body, expected) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(await answer.text()).toBe(expected);
  });
});

describe('anonymous bodies', () => {
  describe('AnonymousBodies', () => {
    const full = (max: number) => {
      const told: string[] = [];
      const bodies = new AnonymousBodies(max);
      const share = (name: string) => bodies.share((reason) => told.push(`${name} ${reason.code}`));
      return { bodies, share, told };
    };

    it('ends the oldest body when the memory is used up', () => {
      const { bodies, share, told } = full(100);
      share('a').grow(60);
      share('b').grow(30);
      share('c').grow(30);
      expect(told).toEqual(['a too_many_bodies']);
      expect(bodies.size).toBe(60);
    });

    it('refuses a body that is larger than all of the memory, after the older ones', () => {
      const { bodies, share, told } = full(100);
      share('a').grow(10);
      share('b').grow(101);
      expect(told).toEqual(['a too_many_bodies', 'b too_many_bodies']);
      expect(bodies.size).toBe(0);
    });

    it('skips a body without a received byte', () => {
      const { share, told } = full(100);
      share('silent');
      share('a').grow(90);
      share('b').grow(20);
      expect(told).toEqual(['a too_many_bodies']);
    });

    it('does not count a body that has ended, and does not end it again', () => {
      const { bodies, share, told } = full(100);
      const ended = share('a');
      ended.grow(90);
      ended.end();
      ended.end();
      ended.grow(50);
      share('b').grow(100);
      expect([bodies.size, told]).toEqual([100, []]);
    });
  });
});
