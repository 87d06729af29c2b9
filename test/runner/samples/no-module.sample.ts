it('fine', () => undefined);

await import('node:no-such-module');
