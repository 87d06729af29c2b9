import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { long } from '../../support/rounds.js';
import { formOf, samlIdp, SP, type AnswerShape, type SamlIdp } from './support/idp.js';
import { encryptElement } from './support/encrypt.js';
import { samlSp, type SamlSp } from './support/protocol.js';
import { signElement } from './support/sign.js';
import { into } from './support/wrapping.js';
import { patience } from '../../support/speed.js';

let sp: SamlSp;
let idp: SamlIdp;
let canary: Server;
let hits = 0;

beforeAll(async () => {
  [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
  canary = createServer((_req, res) => {
    hits++;
    res.end('<!ENTITY x "y">');
  }).listen(0, '127.0.0.1');
  await once(canary, 'listening');
});
afterAll(async () => {
  await sp.close();
  canary.close();
});

const HONEST = 'signed in: ada-1815';
const post = (xml: string | Buffer) => sp.outcome(idp.connection(), formOf(xml));

describe('signed XML whose text is read in another way', () => {
  long('is refused when a comment splits a name', async () => {
    const honest = idp.answer({ nameId: 'ada@example.com.evil.example' });
    const splits = ['<!--x-->', '<![CDATA[]]>', '<?x y?>'];
    expect(await post(honest)).toBe('signed in: ada@example.com.evil.example');
    for (const split of splits) {
      expect(await post(honest.replace('example.com.evil', `example.com${split}.evil`))).toBe('structure_refused');
      expect(await post(honest.replace('ada@example.com<', `ada@example.com${split}<`))).toBe('structure_refused');
      expect(await post(split === '<![CDATA[]]>' ? honest.replace('ada', split) : split + honest)).toBe(
        'structure_refused',
      );
    }
    const element = honest.replace('example.com.evil', 'example.com<x/>.evil');
    expect(await post(element)).toBe('signature_invalid');
    expect(await post(idp.answer({ nameId: 'ada<x/>-1815' }))).toBe('name_id_missing');
    expect(await post(honest)).toBe('signed in: ada@example.com.evil.example');
  });

  it('keeps a signed name letter by letter', async () => {
    for (const name of [' ada', 'ada ', 'Ada', 'a\tb', 'аda', 'Zo\u0065\u0308', 'Zoë', 'ａda', '&amp;lt;']) {
      expect(await post(idp.answer({ nameId: name }))).toBe(`signed in: ${name.replace('&amp;', '&')}`);
    }
  });

  it('is refused when a letter was lost, because different names would become equal', async () => {
    expect(await post(idp.answer({ nameId: 'v&#x1F600;' }))).toBe('signed in: v😀');
    for (const half of ['&#xD800;', '&#xDC00;', '&#55297;', '&#xDFFF;']) {
      const form = formOf(idp.answer({ nameId: `v${half}` }));
      expect(Buffer.from(form.get('SAMLResponse')!, 'base64').toString()).toMatch(/>v&#xD[89A-F][0-9A-F]{2};</);
      expect(await sp.outcome(idp.connection(), form)).toBe('message_malformed');
    }
    // What a careless IdP makes of them: the difference is lost.
    expect(await post(idp.answer({ nameId: 'v\ufffd' }))).toBe('name_id_missing');
    expect(await post(idp.answer({ nameId: 'v&#xFFFD;' }))).toBe('name_id_missing');
    expect(await post(idp.answer({ nameId: 'v' }))).toBe('signed in: v');
  });

  long.each<AnswerShape['sign']>(['assertion', 'response', 'both'])(
    'keeps white space in names and attributes when %s is signed',
    async (sign = 'assertion') => {
      const connection = idp.connection({ signed: sign as 'both' });
      const spaces = ['\u00a0', '\u2003', '\u200b', '\u3000', '\ufeff', ' ', '\t', '\n', '&#xD;', '&#x85;', '&#x2028;'];
      for (const space of spaces) {
        const written = `${space}ada${space}b${space}`;
        const meant = written.replace(/&#x(\w+);/g, (_all, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
        const attributesXml = `<saml:AttributeStatement><saml:Attribute Name="n"><saml:AttributeValue>${written}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
        for (const encryptTo of [undefined, sp.current]) {
          const shape = { sign, ...(encryptTo ? { encryptTo } : {}) };
          const answer = sp.protocol.read(idp.form({ nameId: written, attributesXml }, shape));
          const found = await sp.protocol.verify(connection, answer, { requestId: SP.request });
          expect([found.subject, found.nameId?.value, found.claims['n']]).toEqual([meant, meant, meant]);
        }
      }
    },
  );

  it('is refused with literal line ends of XML 1.1', async () => {
    for (const end of ['\u0085', '\u2028']) {
      const message = idp.answer({ nameId: 'ada\nb' }).replace('ada\nb', `ada${end}b`);
      expect(await post(message)).toBe('message_malformed');
      const signed = signElement(idp.assertion({ nameId: 'ada\nb' }), 'Assertion', idp.key);
      const inside = encryptElement(signed.replace('ada\nb', `ada${end}b`), sp.current);
      expect(await post(idp.answer({ assertionXml: inside }, { sign: 'neither' }))).toBe('message_malformed');
    }
    expect(await post(idp.answer({ nameId: 'ada\nb' }))).toBe('signed in: ada\nb');
  });

  it('is refused with any document type, without a fetch', async () => {
    const { port } = canary.address() as AddressInfo;
    const at = `http://127.0.0.1:${port}/x.dtd`;
    const billion = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const honest = idp.answer();
    const types = {
      bare: '<!DOCTYPE Response>',
      'small letters': '<!doctype Response>',
      internal: '<!DOCTYPE r [<!ENTITY x "ada-1815">]>',
      file: '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      http: `<!DOCTYPE r [<!ENTITY x SYSTEM "${at}">]>`,
      parameter: `<!DOCTYPE r [<!ENTITY % x SYSTEM "${at}"> %x;]>`,
      external: `<!DOCTYPE r SYSTEM "${at}">`,
      public: `<!DOCTYPE r PUBLIC "-//x" "${at}">`,
      bomb: `<!DOCTYPE r [<!ENTITY l0 "lol">${billion}]>`,
      'quadratic bomb': `<!DOCTYPE r [<!ENTITY x "${'x'.repeat(50_000)}">]>`,
    };
    expect(await post(honest)).toBe(HONEST);
    for (const type of Object.values(types)) {
      expect(await post(type + honest)).toBe('dtd_refused');
      expect(await post(type + honest.replace('ada-1815', '&x;'))).toBe('dtd_refused');
      expect(await post(into(honest, 'first', type))).toBe('dtd_refused');
    }
    expect(await post(honest)).toBe(HONEST);
    expect(hits).toBe(0);
  });

  it('is refused in other encodings', async () => {
    const honest = idp.answer();
    for (const bytes of [
      Buffer.from(honest, 'utf16le'),
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(honest, 'utf16le')]),
      Buffer.from('\ufeff' + honest),
      Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${honest}`),
      Buffer.from(honest.replace('ada', 'ad\u00e9'), 'latin1'),
    ]) {
      expect(await post(bytes)).toBe('message_malformed');
    }
    expect(await post(`<?xml version="1.0" encoding="UTF-8"?>\n${honest}\n`)).toBe(HONEST);
  });
});

describe('messages that cost time', () => {
  it('are refused while the event loop stays free', async () => {
    const honest = idp.answer();
    const forged = honest.replace('ada-1815', 'mallory');
    const extensions = (inner: string) => into(forged, 'first', `<samlp:Extensions>${inner}</samlp:Extensions>`);
    const attributes = Array.from({ length: 1000 }, (_, i) => `a${i}="1"`).join(' ');
    const cases: Record<string, [string, string[]]> = {
      '8 MiB': [extensions('x'.repeat(8 * 1024 * 1024)), ['message_too_large']],
      '16 000 siblings': [extensions('<a/>'.repeat(16_000)), ['message_too_large']],
      '30 000 levels': [extensions('<a>'.repeat(30_000)), ['message_too_large']],
      '1000 attributes': [extensions(`<a ${attributes}/>`), ['message_too_large']],
      '3900 siblings, within the limits': [
        extensions('<a/>'.repeat(3_900)),
        ['signature_invalid', 'message_too_large'],
      ],
      '180 KiB of text': [extensions('x'.repeat(180 * 1024)), ['signature_invalid', 'message_too_large']],
      'references without end': [
        forged.replace(/(<ds:Reference.*<\/ds:Reference>)/, (one) => one.repeat(200)),
        ['structure_refused'],
      ],
      'many namespaces': [
        extensions('<a xmlns:p="urn:p">'.repeat(40) + '</a>'.repeat(40)),
        ['signature_invalid', 'message_too_large'],
      ],
    };
    expect(await post(honest)).toBe(HONEST);
    const forms = Object.entries(cases).map(([name, [xml, reasons]]) => ({ name, form: formOf(xml), reasons }));
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    for (const { name, form, reasons } of forms) {
      const reason = await sp.outcome(idp.connection(), form);
      expect([name, reasons.includes(reason) ? 'refused' : reason]).toEqual([name, 'refused']);
    }
    delay.disable();
    // Some ten milliseconds, and a machine that is busy with other tests adds its own; each of these could cost minutes.
    expect(delay.max / 1e6).toBeLessThan(patience(5_000));
    expect(await post(honest)).toBe(HONEST);
  });

  long('are accepted within the limits, and refused beyond them', async () => {
    const groups = (count: number) =>
      `<saml:AttributeStatement><saml:Attribute Name="groups">${'<saml:AttributeValue>g</saml:AttributeValue>'.repeat(count)}</saml:Attribute></saml:AttributeStatement>`;
    expect(await post(idp.answer({ attributesXml: groups(1000) }))).toBe(HONEST);
    expect(await post(idp.answer({ attributesXml: groups(4000) }))).toBe('message_too_large');
  });
});
