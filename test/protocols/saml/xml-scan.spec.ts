import fc from '../../support/properties.js';
import { decodeBase64, MESSAGE_LIMITS, scanXml, type XmlLimits } from '../../../src/protocols/saml/xml-scan.js';
import { everyElement } from '../../../src/protocols/saml/xml-tree.js';
import { SamlRefused } from '../../../src/protocols/saml/saml-refused.js';
import { long } from '../../support/rounds.js';

function reasonOf(run: () => unknown): string {
  try {
    run();
    return 'read';
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}

/** A number of elements with a number of attributes each. */
function attributes(each: number, elements: number, prefix = ''): string {
  return `<b ${Array.from({ length: each }, (_, i) => `${prefix}x${i}="1"`).join(' ')}/>`.repeat(elements);
}

describe('scanXml', () => {
  it.each<[string, string, string]>([
    ['text with references', '<a>&lt;&#65;&#x42;&amp;&quot;&apos;</a>', `<AB&"'`],
    ['text with white space', '<a> \t x\n </a>', ' \t x\n '],
    ['line ends', '<a>1\r\n2\r3</a>', '1\n2\n3'],
    ['a written carriage return', '<a>1&#13;2</a>', '1\r2'],
    ['other scripts', '<a>Zoë Ωmega 😀</a>', 'Zoë Ωmega 😀'],
    ['text around children', '<a>1<b/>2</a>', '12'],
    ['a declaration', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a>x</a>\n', 'x'],
    ['a declaration in single quotes', "<?xml version='1.0' encoding='utf-8'?><a>x</a>", 'x'],
    ['a long text of "&amp;"', `<a>${'&amp;'.repeat(1000)}</a>`, '&'.repeat(1000)],
  ])('reads %s', (_name, xml, text) => {
    expect(scanXml(Buffer.from(xml)).text).toBe(text);
  });

  it('resolves namespaces by place, and reads attributes without one', () => {
    const root = scanXml(
      '<p:a xmlns:p="urn:1" xmlns="urn:2" x="1" p:x="2"><b xmlns=""/><p:c xmlns:p="urn:3"/><d/></p:a>',
    );
    expect([...everyElement(root)].map(({ ns, name }) => [ns, name])).toEqual([
      ['urn:1', 'a'],
      ['', 'b'],
      ['urn:3', 'c'],
      ['urn:2', 'd'],
    ]);
    expect(root.attributes).toEqual([
      { ns: '', name: 'x', value: '1' },
      { ns: 'urn:1', name: 'x', value: '2' },
    ]);
    expect(root.children[0]!.parent).toBe(root);
  });

  it('makes spaces of literal white space in attributes, and keeps references', () => {
    expect(scanXml('<a x="1\t2\n3&#9;4&#10;5"/>').attributes[0]!.value).toBe('1 2 3\t4\n5');
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'message_malformed'],
    ['text alone', 'x', 'message_malformed'],
    ['an open element', '<a>', 'message_malformed'],
    ['an open tag', '<a', 'message_malformed'],
    ['tags that cross', '<a><b></a></b>', 'message_malformed'],
    ['an end without a beginning', '</a>', 'message_malformed'],
    ['an end tag that is open', '<a></a', 'message_malformed'],
    ['two roots', '<a/><b/>', 'message_malformed'],
    ['text after the root', '<a/>x', 'message_malformed'],
    ['text before the root', 'x<a/>', 'message_malformed'],
    ['an attribute twice', '<a x="1" x="2"/>', 'message_malformed'],
    ['an attribute twice by namespace', '<a xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"/>', 'message_malformed'],
    ['a declaration twice', '<a xmlns:p="u" xmlns:p="v"/>', 'message_malformed'],
    ['an unbound prefix', '<p:a/>', 'message_malformed'],
    ['an unbound prefix of an attribute', '<a p:x="1"/>', 'message_malformed'],
    ['an unbound prefix by sibling', '<a><b xmlns:p="u"/><p:c/></a>', 'message_malformed'],
    ['a prefix unbound again', '<a xmlns:p="u"><b xmlns:p=""/></a>', 'message_malformed'],
    ['another meaning of xml', '<a xmlns:xml="urn:x"/>', 'message_malformed'],
    ['a prefix xmlns', '<a xmlns:xmlns="urn:x"/>', 'message_malformed'],
    ['two colons', '<a:b:c xmlns:a="u"/>', 'message_malformed'],
    ['a value without quotes', '<a x=1/>', 'message_malformed'],
    ['attributes without a space', '<a x="1"y="2"/>', 'message_malformed'],
    ['"<" in an attribute', '<a x="<"/>', 'message_malformed'],
    ['an attribute that is open', '<a x="1/>', 'message_malformed'],
    ['"]]>" in text', '<a>]]></a>', 'message_malformed'],
    ['an unknown entity', '<a>&nbsp;</a>', 'message_malformed'],
    ['an open reference', '<a>&amp</a>', 'message_malformed'],
    ['a lone "&"', '<a>a & b</a>', 'message_malformed'],
    ['NUL as a reference', '<a>&#0;</a>', 'message_malformed'],
    ['a surrogate as a reference', '<a>&#xD800;</a>', 'message_malformed'],
    ['beyond Unicode', '<a>&#x110000;</a>', 'message_malformed'],
    ['a control character', '<a>\u0001</a>', 'message_malformed'],
    ['a byte order mark', '\ufeff<a/>', 'message_malformed'],
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e]), 'message_malformed'],
    ['overlong UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0xbc, 0x3c, 0x2f, 0x61, 0x3e]), 'message_malformed'],
    ['UTF-16', Buffer.from('<a/>', 'utf16le'), 'message_malformed'],
    ['another encoding by name', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>', 'message_malformed'],
    ['UTF-7 by name', '<?xml version="1.0" encoding="UTF-7"?><a/>', 'message_malformed'],
    ['XML 1.1', '<?xml version="1.1"?><a/>', 'message_malformed'],
    ['a declaration that is late', ' <?xml version="1.0"?><a/>', 'structure_refused'],
    ['a processing instruction', '<a><?x y?></a>', 'structure_refused'],
    ['a style sheet', '<?xml-stylesheet href="x"?><a/>', 'structure_refused'],
    ['a comment', '<a><!-- x --></a>', 'structure_refused'],
    ['a comment after the root', '<a/><!-- x -->', 'structure_refused'],
    ['CDATA', '<a><![CDATA[x]]></a>', 'structure_refused'],
    ['an unknown declaration', '<a><!x></a>', 'message_malformed'],
    ['a bare document type', '<!DOCTYPE a><a/>', 'dtd_refused'],
    ['a document type in small letters', '<!doctype a><a/>', 'dtd_refused'],
    ['an entity', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'dtd_refused'],
    ['a document type in the middle', '<a><!DOCTYPE b></a>', 'dtd_refused'],
    ['too many bytes', `<a>${'x'.repeat(192 * 1024)}</a>`, 'message_too_large'],
    ['too many elements', `<a>${'<b/>'.repeat(4000)}</a>`, 'message_too_large'],
    ['too many levels', '<a>'.repeat(51) + '</a>'.repeat(51), 'message_too_large'],
    ['no end of levels', '<a>'.repeat(60_000), 'message_too_large'],
    ['too many attributes altogether', `<a>${attributes(40, 151)}</a>`, 'message_too_large'],
    ['too many namespaces altogether', `<a>${attributes(40, 151, 'xmlns:')}</a>`, 'message_too_large'],
    ['too many attributes', `<a ${Array.from({ length: 51 }, (_, i) => `x${i}="1"`).join(' ')}/>`, 'message_too_large'],
  ])('refuses %s', (_name, xml, reason) => {
    expect(reasonOf(() => scanXml('<a>honest</a>'))).toBe('read');
    expect(reasonOf(() => scanXml(xml))).toBe(reason);
    expect(reasonOf(() => scanXml('<a>honest</a>'))).toBe('read');
  });

  const HALVES = ['&#xD800;', '&#xDBFF;', '&#xDC00;', '&#xDFFF;', '&#55296;', '&#57343;', '&#xD83D;&#xDE00;'];
  const NO_CHARACTERS = [
    '&#xFFFE;',
    '&#xFFFF;',
    '&#65534;',
    '&#0;',
    '&#1;',
    '&#8;',
    '&#xB;',
    '&#xC;',
    '&#x1F;',
    '&#x0E;',
  ];
  it.each([...HALVES, ...NO_CHARACTERS])('refuses %s at every place, because it is no character', (reference) => {
    expect(scanXml('<a x="&#xD7FF;">&#x1F600;</a>')).toMatchObject({ text: '😀', attributes: [{ value: '\ud7ff' }] });
    expect(reasonOf(() => scanXml(`<a>v${reference}</a>`))).toBe('message_malformed');
    expect(reasonOf(() => scanXml(`<a x="v${reference}"/>`))).toBe('message_malformed');
  });

  long('accepts exactly the characters of XML 1.0 §2.2, as references and literally', () => {
    const edges = [0, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0x1f, 0x20, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff, 0x110000]; // prettier-ignore
    const isChar = (code: number) =>
      [9, 0xa, 0xd].includes(code) ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      (code >= 0x10000 && code <= 0x10ffff);
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...edges), fc.nat(0x120000)), (code) => {
        const expected = isChar(code) ? 'read' : 'message_malformed';
        expect(reasonOf(() => scanXml(`<a>&#${code};</a>`))).toBe(expected);
        expect(reasonOf(() => scanXml(`<a>&#x${code.toString(16)};</a>`))).toBe(expected);
        if (code <= 0x10ffff && !['&', '<'].includes(String.fromCodePoint(code))) {
          expect(reasonOf(() => scanXml(`<a>${String.fromCodePoint(code)}</a>`))).toBe(expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never makes U+FFFD of invalid bytes', () => {
    const bytes = (...middle: number[]) => Buffer.from([0x3c, 0x61, 0x3e, ...middle, 0x3c, 0x2f, 0x61, 0x3e]);
    for (const broken of [[0xed, 0xa0, 0x80], [0xed, 0xb0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3], [0x80]]) {
      expect(reasonOf(() => scanXml(bytes(...broken)))).toBe('message_malformed');
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (middle) => {
        if (Buffer.from(middle).includes(Buffer.from('\ufffd'))) return;
        let text = '';
        reasonOf(() => (text = scanXml(bytes(...middle)).text));
        expect(text).not.toContain('\ufffd');
      }),
    );
  });

  it('accepts a document at the limits', () => {
    expect(reasonOf(() => scanXml(`<a>${'<b/>'.repeat(3999)}</a>`))).toBe('read');
    expect(reasonOf(() => scanXml('<a>'.repeat(50) + '</a>'.repeat(50)))).toBe('read');
    expect(reasonOf(() => scanXml(`<a>${attributes(40, 150)}</a>`))).toBe('read');
    expect(reasonOf(() => scanXml(`<a>${'x'.repeat(192 * 1024 - 7)}</a>`))).toBe('read');
  });

  it('ignores comments of metadata, and of nothing else', () => {
    const limits: XmlLimits = { ...MESSAGE_LIMITS, comments: 'skip' };
    expect(scanXml('<!-- 1 --><a>x<!-- 2 -->y</a><!-- 3 -->', limits).text).toBe('xy');
    for (const xml of ['<a><!-- -- --></a>', '<a><!--', '<a><!-- --->x</a>']) {
      expect(reasonOf(() => scanXml(xml, limits))).toBe('message_malformed');
    }
    expect(reasonOf(() => scanXml('<a><!--<!DOCTYPE a>--></a>', limits))).toBe('dtd_refused');
  });

  long('answers any bytes with a tree or a refusal', () => {
    const pieces = fc.constantFrom('<', '>', '/', 'a', 'p:', ' x="', '"', '&', 'amp;', '<!--', '-->', '<?', '<![CDATA[', ']]>', '=', 'é', '\n'); // prettier-ignore
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        expect(['read', 'message_malformed', 'structure_refused']).toContain(reasonOf(() => scanXml(parts.join(''))));
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof reasonOf(() => scanXml(bytes))).toBe('string');
      }),
    );
  });

  it('gives text back unchanged', () => {
    const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(/^[\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text));
        expect(scanXml(`<a>${escape(text)}</a>`).text).toBe(text);
      }),
    );
  });
});

describe('decodeBase64', () => {
  it.each<[string, string, string]>([
    ['plain', Buffer.from('honest').toString('base64'), 'honest'],
    [
      'in lines',
      Buffer.from('honest')
        .toString('base64')
        .replace(/(.{4})/g, '$1\r\n'),
      'honest',
    ],
    ['nothing', '', 'message_malformed'],
    ['only space', ' \n', 'message_malformed'],
    ['base64url', 'aG9uZXN0-_aa', 'message_malformed'],
    ['without its padding', 'aG9uZXM', 'message_malformed'],
    ['padding in the middle', 'aG8=aG8=', 'message_malformed'],
    ['percent-encoded', 'aG9uZXM%3D', 'message_malformed'],
    ['another white space', 'aG9u\u00a0ZXN0', 'message_malformed'],
    ['too much', 'A'.repeat(4 * 70_000), 'message_too_large'],
    ['far too much', 'A'.repeat(8 * 1024 * 1024), 'message_too_large'],
  ])('%s', (_name, text, expected) => {
    let found = '';
    expect(['read', expected]).toContain(reasonOf(() => (found = decodeBase64(text).toString())));
    if (found !== '') expect(found).toBe(expected);
  });
});
