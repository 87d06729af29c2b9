import { MAX_URL, parsedUrl, urlOf } from '../../src/base/url.js';

const FRENCH = 'https://caf\u00e9.example/x';

describe('addresses', () => {
  it('are null where the text is none, or is too long', () => {
    expect(urlOf('no address')).toBeNull();
    expect(urlOf(`https://x.example/${'y'.repeat(MAX_URL)}`)).toBeNull();
    expect(parsedUrl('/path')).toBeNull();
  });

  it('are resolved against a base', () => {
    expect(parsedUrl('/path', 'https://x.example')?.href).toBe('https://x.example/path');
  });

  it('are read alike after many calls, when the engine has compiled the function', () => {
    for (let i = 0; i < 50_000; i++) urlOf('https://hooks.example.com/x');
    expect(urlOf(FRENCH)?.host).toBe('xn--caf-dma.example');
  });
});
