it('fine', () => undefined);

const absent = ['node', 'no-such-module'].join(':');
await import(absent);
