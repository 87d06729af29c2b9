import {
  domainOf,
  domainProblem,
  normalDomain,
  checkOutcome,
  dnsRecord,
  namesToAsk,
  proofOf,
  domainStateOf,
} from '../../../../src/auth/connections/domains/domain.rules.js';

describe('domain', () => {
  describe('the domain of an e-mail address', () => {
    it.each([
      ['anna@example.com', 'example.com'],
      ['Anna@EXAMPLE.Com', 'example.com'],
      ['anna@example.com.', 'example.com'],
      ['anna@sub.example.com', 'sub.example.com'],
      ['"a@b"@example.com', 'example.com'],
      ['attacker@example.com@evil.example', 'evil.example'],
      ['anna@münchen.example', 'xn--mnchen-3ya.example'],
      ['anna@MÜNCHEN.example', 'xn--mnchen-3ya.example'],
      ['anna@xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
      // Cyrillic а: another domain, and it stays one.
      ['anna@ex\u0430mple.com', 'xn--exmple-4nf.com'],
    ])('%s', (email, domain) => expect(domainOf(email)).toBe(domain));

    it.each([
      ['no at', 'example.com'],
      ['no local part', '@example.com'],
      ['nothing after the at', 'anna@'],
      ['one label', 'anna@localhost'],
      ['two dots', 'anna@example..com'],
      ['two dots at the end', 'anna@example.com..'],
      ['a dot in front', 'anna@.example.com'],
      ['a space', 'anna@exam ple.com'],
      ['a line feed at the end', 'anna@example.com\n'],
      ['a path', 'anna@example.com/evil'],
      ['a port', 'anna@example.com:25'],
      ['an IPv4 literal', 'anna@[192.0.2.1]'],
      ['an IPv4 address', 'anna@192.0.2.1'],
      ['an IPv4 address in disguise', 'anna@0x7f.1'],
      ['an IPv6 literal', 'anna@[IPv6:2001:db8::1]'],
      ['an underscore', 'anna@exam_ple.com'],
      ['a label that ends in a hyphen', 'anna@example-.com'],
      ['a label of 64 letters', `anna@${'a'.repeat(64)}.com`],
      ['254 letters', `anna@${'a.'.repeat(125)}comm`],
      // What a mapping would turn into example.com is not example.com.
      ['full-width letters', 'anna@\uff45xample.com'],
      ['an ideographic full stop', 'anna@example\u3002com'],
      ['a soft hyphen', 'anna@exam\u00adple.com'],
      ['a zero-width joiner', 'anna@exam\u200dple.com'],
      ['a percent-encoded letter', 'anna@ex%61mple.com'],
      ['punycode that is none', 'anna@xn--a.com'],
    ])('is null: %s', (_, email) => expect(domainOf(email)).toBeNull());

    it('distinguishes domains that only look alike', () => {
      expect(normalDomain('ex\u0430mple.com')).not.toBe(normalDomain('example.com'));
      expect(normalDomain('example.com')).toBe('example.com');
    });
  });

  describe('a domain that an admin claims', () => {
    it.each([
      'example.com',
      'Example.COM.',
      'mail.example.co.uk',
      'münchen.example',
      'live-example.com',
      'yahoo.example.com',
      'example.co.uk',
      'example.github.io',
      'www.ck',
      'example.any-new-suffix',
    ])('is taken: %s', (text) => expect(domainProblem(text)).toBeNull());

    it.each([
    ['com', 'domain such as'],
    ['localhost', 'domain such as'],
    ['', 'domain such as'],
    ['https://example.com', 'domain such as'],
    ['anna@example.com', 'domain such as'],
    ['*.example.com', 'wildcard'],
    ['192.0.2.1', 'IP address'],
    ['[2001:db8::1]', 'IP address'],
    ['2001:db8::1', 'IP address'],
    ...[
      'co.uk', 'CO.UK', 'com.au', 'co.jp', 'kyoto.jp', 'any.ck', 'xn--55qx5d.cn', '公司.cn', 'github.io',
      'herokuapp.com', 'netlify.app', 's3.amazonaws.com', 'co.uk.',
    ].map((domain) => [domain, 'public suffix']),
    [`${'a.'.repeat(125)}comm`, 'domain such as'],
    ...[
      'gmail.com', 'GMAIL.com', 'googlemail.com', 'outlook.com', 'outlook.com.br', 'hotmail.co.uk', 'hotmail.fr',
      'live.nl', 'msn.com', 'yahoo.com', 'yahoo.co.jp', 'icloud.com', 'me.com', 'mac.com', 'aol.com', 'proton.me',
      'protonmail.com', 'gmx.de', 'gmx.net', 'web.de', 'mail.ru', 'yandex.ru', 'qq.com', '163.com', '126.com',
      'naver.com', 'zoho.com', 'fastmail.com', 'tutanota.com', 'mail.com', 't-online.de', 'orange.fr', 'gmail.com.',
    ].map((domain) => [domain, 'public mail']),
  ])('is refused: %s', (text, why) => expect(domainProblem(text)).toContain(why)); // prettier-ignore
  });
});

describe('domain check', () => {
  const DOMAIN = 'acme.example';
  const now = new Date('2030-06-10T12:00:00.000Z');
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);

  it('names the record and its place in the DNS', () => {
    expect(dnsRecord(DOMAIN, 'c')).toEqual({
      type: 'TXT',
      name: '_talent-bridge.acme.example',
      value: 'talent-bridge-verification=c',
    });
    expect(namesToAsk(DOMAIN)).toEqual(['_talent-bridge.acme.example', DOMAIN]);
    const long = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(50);
    expect(namesToAsk(long)).toEqual([long]);
  });

  const found = (...texts: string[]) => ({ kind: 'found', texts }) as const;
  const absent = { kind: 'absent' } as const;
  const unknown = { kind: 'unknown', why: 'SERVFAIL' } as const;

  it.each([
    ['the record', [absent, found('talent-bridge-verification=c')], 'proved'],
    ['the record although another name is silent', [unknown, found('talent-bridge-verification=c')], 'proved'],
    ['no answer', [unknown, absent], 'unknown'],
    ['no record', [absent, absent], 'missing'],
    ['a record with another value', [found('talent-bridge-verification=C'), absent], 'missing'],
    ['other records', [found('v=spf1'), absent], 'missing'],
  ])('reads %s', (_what, findings, kind) => {
    expect(proofOf(DOMAIN, 'c', findings).kind).toBe(kind);
  });

  it.each([
    ['pending', null, null],
    ['verified', 'dns', null],
    ['lost', 'dns', now],
  ] as const)('is %s', (state, verified_by, lost_at) => {
    expect(domainStateOf({ verified_by, lost_at })).toBe(state);
  });

  const missing = { kind: 'missing', detail: 'no TXT record was found' } as const;

  it.each([
    ['kept', { kind: 'proved' } as const, null],
    ['restored', { kind: 'proved' } as const, daysAgo(6)],
    ['unknown', { kind: 'unknown', detail: '' } as const, daysAgo(30)],
    ['lost', missing, null],
    ['still_lost', missing, daysAgo(6.9)],
    ['released', missing, daysAgo(7)],
  ])('becomes %s', (kind, proof, lost_at) => {
    expect(checkOutcome({ verified_by: 'dns', lost_at }, proof, now).kind).toBe(kind);
  });
});
